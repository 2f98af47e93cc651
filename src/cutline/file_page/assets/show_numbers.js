// The numbers of a ranking in the tables of the page: its measures, and what each tenth of the list holds.

import { counted, interval, percent, shown, written } from "./format.js";
import { quoted } from "./files.js";

const PORTIONS = 10;

export function showMeasures(measures, methods) {
  for (const estimate of measures) {
    for (const row of document.querySelectorAll(`[data-measure="${estimate.name}"]`)) {
      row.querySelector(".value").textContent = shown(estimate.value);
      row.querySelector(".interval").textContent = estimate.reason || interval(estimate.low, estimate.high) || estimate.lacks;
      const method = row.querySelector(".method");
      if (method) method.textContent = methods[estimate.method] ?? estimate.method;
      const baseline = row.querySelector(".baseline");
      if (baseline) baseline.textContent = Number.isNaN(estimate.baseline) ? "" : shown(estimate.baseline);
    }
  }
}

// At the end of each tenth of the list: what is found so far, by the measures of the cut there.
export function gainsRows(model, measures) {
  return Array.from({ length: PORTIONS }, (_, i) => {
    const share = (i + 1) / PORTIONS;
    const cut = i + 1 === PORTIONS ? model.at(model.last) : model.atQuota(model.total * share);
    const [precision, recall, lift, gap] = ["precision", "recall", "lift", "youden_j"].map((name) => measures.point(name, cut, null));
    return { share, flagged: cut.tp + cut.fp, found: cut.tp, precision, recall, lift, gap };
  });
}

export function showGains(body, rows) {
  body.replaceChildren(
    ...rows.map((row) => {
      const cells = [counted(oneDecimal(row.flagged)), counted(oneDecimal(row.found)), shown(row.precision), shown(row.recall), shown(row.lift), shown(row.gap)];
      const line = document.createElement("tr");
      const head = Object.assign(document.createElement("th"), { scope: "row", textContent: percent(row.share) });
      line.append(head, ...cells.map((text) => Object.assign(document.createElement("td"), { className: "number", textContent: text })));
      return line;
    }),
  );
}

const oneDecimal = (count) => Number(count.toFixed(1));

// All numbers as a table to take away: of the ranking, of the cut that is shown, and its counts.
export function tableOf(evaluated, live) {
  const { cut, model } = live;
  const text = (value) => (Number.isNaN(value) || value === undefined ? "" : String(value));
  const row = (one) => [one.name, ...["value", "low", "high"].map((name) => text(one[name])), one.method, text(one.baseline), one.reason];
  const counts = Object.entries({ threshold: cut.threshold, tp: cut.tp, fp: cut.fp, fn: cut.fn, tn: cut.tn, cases: model.total });
  return [
    ["measure", "value", "low", "high", "method", "baseline", "note"],
    ...counts.map(([name, value]) => [name, written(value), "", "", "", "", ""]),
    ...evaluated.measures.map(row),
    ...live.estimates().map(row),
  ];
}

export const asCsv = (rows) => rows.map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
