// Where the page's program starts: unpack the data, start the cut, the charts and the buttons.

import { Cuts } from "./ranking.js";
import { LiveCut } from "./live.js";
import { areasOf, drawForPrinting, markOf, startCharts } from "./charts.js";
import { startNumbers, table } from "./numbers.js";
import { openTarget, startTheme, unfoldForPrinting, unpack } from "./shell.js";
import { allowedBeyond, atLeast, casesNeeded, upperBound } from "./bounds.js";
import { casesNeededAnywhere, localLevel } from "./levels.js";
import { startPromises } from "./promises.js";
import { startSaving } from "./saving.js";
import { startTabs } from "./tabs.js";

async function startPage() {
  startTheme();
  startTabs();
  startSaving();
  openTarget();
  window.addEventListener("hashchange", openTarget);
  const data = await unpack(document.getElementById("data").textContent);
  data.charts.forEach((picture, index) => Object.assign(picture, { index }));
  const live = new LiveCut(data, data.models.map((model) => new Cuts(model)));
  live.start();
  startNumbers(data, live);
  startPromises(data, live);
  startCharts(data.charts);
  window.addEventListener("beforeprint", drawForPrinting);
  unfoldForPrinting();
  const bounds = { allowedBeyond, atLeast, casesNeeded, casesNeededAnywhere, localLevel, upperBound };
  window.cutline = { data, live, markOf, areasOf, bounds, table: () => table(data, live) };
  document.documentElement.dataset.ready = "true";
}

startPage();
