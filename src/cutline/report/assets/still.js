// Where the program of a page without a movable cut starts: its theme, what is folded, and its numbers to take away.

import { copy, download, tell } from "./files.js";
import { startSaving } from "./saving.js";
import { openTarget, startTheme, unfoldForPrinting, unpack } from "./shell.js";

async function startStill() {
  startTheme();
  startSaving();
  openTarget();
  window.addEventListener("hashchange", openTarget);
  unfoldForPrinting();
  const data = await unpack(document.getElementById("data").textContent);
  const on = (id, action) => document.getElementById(id).addEventListener("click", action);
  on("copy", async () => tell((await copy(data.tabs)) ? "Copied." : "Copying is not allowed here: download the CSV file."));
  on("csv", () => download("cutline.csv", "text/csv", data.csv));
  on("json", () => download("cutline.json", "application/json", JSON.stringify(data.document, null, 2)));
  window.cutline = { data };
  document.documentElement.dataset.ready = "true";
}

startStill();
