// Charts of rates from 0 to 1, drawn as SVG: lines, dots with intervals, and a mark that follows the cut.

const [LEFT, TOP, SIDE, WIDTH, HEIGHT] = [46, 10, 280, 340, 336];
const TICKS = [0, 0.25, 0.5, 0.75, 1];
const marks = []; // of the cut, on each chart that has one

const across = (share) => LEFT + SIDE * share;
const up = (share) => TOP + SIDE * (1 - share);

function svgElement(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

// `lines` are lists of points; `dots` are places with limits; `reference` is a dotted line; `mark` names two measures.
export function drawChart(place, { label, x, y, lines = [], dots = [], reference, mark }) {
  const svg = svgElement("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  for (const tick of TICKS) {
    svg.append(
      svgElement("path", { class: "grid", d: `M${across(0)} ${up(tick)}H${across(1)}M${across(tick)} ${up(0)}V${up(1)}` }),
      svgElement("text", { x: LEFT - 6, y: up(tick) + 4, "text-anchor": "end" }, tick),
      svgElement("text", { x: across(tick), y: up(0) + 16, "text-anchor": "middle" }, tick),
    );
  }
  svg.append(
    svgElement("text", { class: "axis", x: across(0.5), y: HEIGHT - 6, "text-anchor": "middle" }, x),
    svgElement("text", { class: "axis", x: 0, y: 0, "text-anchor": "middle", transform: `translate(12 ${up(0.5)}) rotate(-90)` }, y),
  );
  if (reference) svg.append(svgElement("path", { class: "reference", d: path(reference) }));
  for (const line of lines) svg.append(svgElement("path", { class: "line", d: path(line) }));
  for (const dot of dots) {
    svg.append(
      svgElement("path", { class: "whisker", d: `M${across(dot.x)} ${up(dot.low)}V${up(dot.high)}` }),
      svgElement("circle", { class: "dot", cx: across(dot.x), cy: up(dot.y), r: 4 }),
    );
  }
  if (mark) {
    const point = svgElement("circle", { class: "mark", r: 6, visibility: "hidden" });
    svg.append(point);
    marks.push({ point, mark });
  }
  place.replaceChildren(svg);
}

function path(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${across(x).toFixed(2)} ${up(y).toFixed(2)}`).join("");
}

export function forgetMarks() {
  marks.length = 0;
}

// The adjustable threshold calls this whenever the cut has moved.
export function moveMarks(cuts, measures, costs) {
  for (const { point, mark } of marks) {
    const [x, y] = mark.map((name) => measures.point(name, cuts[0], costs));
    const isThere = Number.isFinite(x) && Number.isFinite(y);
    point.setAttribute("visibility", isThere ? "visible" : "hidden");
    if (!isThere) continue;
    point.setAttribute("cx", across(x));
    point.setAttribute("cy", up(y));
  }
}
