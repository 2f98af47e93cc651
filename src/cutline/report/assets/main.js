// Where the page's program starts: unpack the data, start the cut, the charts and the buttons.

import { Cuts } from "./ranking.js";
import { LiveCut } from "./live.js";
import { markOf, refreshAll, startCharts } from "./charts.js";
import { startNumbers, table } from "./numbers.js";

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

async function startPage() {
  startTheme();
  const data = await unpack(document.getElementById("data").textContent);
  data.charts.forEach((picture, index) => Object.assign(picture, { index }));
  const live = new LiveCut(data, data.models.map((model) => new Cuts(model)));
  live.start();
  startNumbers(data, live);
  startCharts(data.charts);
  window.addEventListener("beforeprint", refreshAll);
  window.cutline = { data, live, markOf, table: () => table(data, live) };
  document.documentElement.dataset.ready = "true";
}

startPage();
