// The charts: drawn by Vega when they come into view, and later on in idle time; their marks follow the cut.

import { coordinate } from "./points.js";

const drawings = [];
const ERRORS = 1; // of what Vega has to say, only these

export function startCharts(pictures) {
  for (const picture of pictures) {
    const place = document.getElementById(`chart-${picture.index}`);
    if (picture.spec) drawings.push({ picture, place, view: null, started: false, visible: false, stale: true });
  }
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const drawing = drawings.find((one) => one.place === entry.target);
      drawing.visible = entry.isIntersecting;
      if (drawing.visible) (drawing.view ? refresh : draw)(drawing);
    }
  }, { rootMargin: "200px" });
  for (const drawing of drawings) watcher.observe(drawing.place);
  drawTheRest();
}

// In idle time, so that a section that is opened shows its charts at once.
async function drawTheRest() {
  for (const drawing of drawings) {
    await new Promise((resolve) => (window.requestIdleCallback ?? setTimeout)(resolve));
    await draw(drawing);
  }
  document.documentElement.dataset.charts = "drawn";
}

async function draw(drawing) {
  if (drawing.started) return;
  drawing.started = true;
  // With its interpreter, Vega needs no eval(), and the page can forbid it.
  const options = { actions: false, renderer: "svg", ast: true, tooltip: { theme: "cutline" }, logLevel: ERRORS };
  const { view } = await window.vegaEmbed(drawing.place, drawing.picture.spec, options);
  drawing.place.querySelector("svg").setAttribute("aria-hidden", "true"); // the place itself says what it shows
  drawing.view = view;
  refresh(drawing);
}

let placed = null;

// Move the mark of the cut on all charts: at once where it is seen, elsewhere when it comes into view.
export function moveMarks(cuts, measures, costs) {
  placed = { cuts, measures, costs };
  for (const drawing of drawings) {
    drawing.stale = true;
    if (drawing.view && drawing.visible) refresh(drawing);
  }
}

// Paper shows all charts, also those that were never seen. Drawing waits for nothing but promises that are kept at once,
// so that all are there when the browser goes on to lay out the sheets.
export function drawForPrinting() {
  for (const drawing of drawings) (drawing.view ? refresh : draw)(drawing);
}

function refresh(drawing) {
  const { picture, view } = drawing;
  if (!drawing.stale || !placed || !picture.cut) return;
  drawing.stale = false;
  const rows = picture.models
    .map((i, line) => ({
      ...place(picture.cut, placed.cuts[i]),
      colour: picture.models.length > 1 ? `var(--line-${i % 6})` : "var(--ink)",
      series: picture.cut.series?.[line],
    }))
    .filter((row) => isInside(row.x, picture.cut.across) && (row.y === undefined || isInside(row.y, picture.cut.up)));
  view.data("cut", rows);
  if (picture.bars) view.data("areas", errorAreas(picture.bars, placed.cuts[picture.models[0]].threshold));
  view.run();
}

function place({ x, y, across, up }, cut) {
  const at = (name, domain) => {
    const value = coordinate(name, cut, placed.measures, placed.costs);
    return name.endsWith("_deviate") ? Math.min(Math.max(value, domain[0]), domain[1]) : value;
  };
  return y === undefined ? { x: at(x, across) } : { x: at(x, across), y: at(y, up) };
}

// The parts of the bars of a density that lie on the wrong side of the cut.
function errorAreas(bars, threshold) {
  return bars
    .filter((bar) => (bar.below ? bar.x < threshold : bar.x2 > threshold))
    .map((bar) => (bar.below ? { ...bar, x2: Math.min(bar.x2, threshold) } : { ...bar, x: Math.max(bar.x, threshold) }));
}

// Whether a place has a finite value that the axis reaches, but for rounding.
function isInside(value, domain) {
  const room = domain ? 1e-9 * (Math.abs(domain[0]) + Math.abs(domain[1])) : 0;
  return Number.isFinite(value) && (!domain || (value >= domain[0] - room && value <= domain[1] + room));
}

// For tests and for the curious: where the mark stands on a chart, and which areas show the errors.
export function markOf(name) {
  return drawn(name).data("cut").map(({ x, y }) => ({ x, y }));
}

export function areasOf() {
  return drawn("score_distribution").data("areas").map(({ x, x2, error }) => ({ x, x2, error }));
}

function drawn(name) {
  const drawing = drawings.find((one) => one.picture.name === name);
  refresh(drawing);
  return drawing.view;
}
