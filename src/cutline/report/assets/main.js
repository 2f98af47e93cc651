// Where the page's program starts: unpack the data, start the cut, the charts and the buttons.

import { Cuts } from "./ranking.js";
import { LiveCut } from "./live.js";
import { areasOf, markOf, refreshAll, startCharts } from "./charts.js";
import { startNumbers, table } from "./numbers.js";
import { allowedBeyond, atLeast, casesNeeded, upperBound } from "./bounds.js";
import { startPromises } from "./promises.js";

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function startTheme() {
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const button = document.getElementById("theme");
  let asked = null;
  const apply = () => {
    const dark = asked ?? system.matches;
    root.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
  };
  system.addEventListener("change", apply);
  button.addEventListener("click", () => {
    asked = root.dataset.theme !== "dark";
    apply();
  });
  apply();
}

// What is folded on the screen is open on paper. Styles do this too, in browsers that know how.
function unfoldForPrinting() {
  const folds = [...document.querySelectorAll("details.fold")];
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = folds.filter((fold) => !fold.open);
    closed.forEach((fold) => (fold.open = true));
  });
  window.addEventListener("afterprint", () => closed.forEach((fold) => (fold.open = false)));
}

// A link into a fold opens it.
function openTarget() {
  const id = window.location.hash.slice(1);
  const fold = id.includes("=") ? null : document.getElementById(id)?.querySelector("details.fold");
  if (fold) fold.open = true;
}

async function startPage() {
  startTheme();
  openTarget();
  window.addEventListener("hashchange", openTarget);
  const data = await unpack(document.getElementById("data").textContent);
  data.charts.forEach((picture, index) => Object.assign(picture, { index }));
  const live = new LiveCut(data, data.models.map((model) => new Cuts(model)));
  live.start();
  startNumbers(data, live);
  startPromises(data, live);
  startCharts(data.charts);
  window.addEventListener("beforeprint", refreshAll);
  unfoldForPrinting();
  const bounds = { allowedBeyond, atLeast, casesNeeded, upperBound };
  window.cutline = { data, live, markOf, areasOf, bounds, table: () => table(data, live) };
  document.documentElement.dataset.ready = "true";
}

startPage();
