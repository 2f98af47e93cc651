// The numbers to take away: copied as a table, or downloaded as CSV or JSON.

import { copy, download, quoted, tell } from "./files.js";
import { rowsOf } from "./live.js";

export function startNumbers(data, live) {
  const on = (id, action) => document.getElementById(id).addEventListener("click", action);
  on("copy", async () => tell((await copy(table(data, live).map((row) => row.join("\t")).join("\n"))) ? "Copied." : "Copying is not allowed here: download the CSV file."));
  on("csv", () => download("cutline.csv", "text/csv", table(data, live).map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n"));
  on("json", () => download("cutline.json", "application/json", JSON.stringify(document_(data, live), null, 2)));
}

// The rows of the document. Where the cut was moved, those of one cut have its numbers, and a column says where it is.
export function table(data, live) {
  const several = live.models.length > 1;
  const isMoved = live.models.some((_, i) => !live.isOpening(i));
  const columns = Object.keys(rowsOf(data, 0)[0] ?? {});
  const text = (value) => (value === null || value === undefined || Number.isNaN(value) ? "" : String(value));
  const lines = live.models.flatMap((model, i) => {
    const moved = new Map(live.isOpening(i) ? [] : live.estimates(i).map((found) => [found.name, found]));
    return rowsOf(data, i).map((row) => {
      const found = moved.get(row.measure);
      const cells = columns.map((name) => text(found && name in found ? found[name] : found && name === "note" ? "" : row[name]));
      return [...(several ? [model.name] : []), ...cells, ...(isMoved ? [found ? text(live.cuts[i].threshold) : ""] : [])];
    });
  });
  return [[...(several ? ["model"] : []), ...columns, ...(isMoved ? ["threshold"] : [])], ...lines];
}

// The document of the evaluation; where the cut was moved, also the numbers of the cut that is shown.
function document_(data, live) {
  const cuts = live.models.flatMap((model, i) => {
    if (live.isOpening(i)) return [];
    const { tp, fp, fn, tn, threshold } = live.cuts[i];
    const where = { model: model.name, threshold: Number.isFinite(threshold) ? threshold : null };
    return [{ ...where, tp, fp, fn, tn, measures: live.estimates(i) }];
  });
  return cuts.length ? { ...data.document, cuts } : data.document;
}
