// The adjustable threshold: whatever is entered moves the cut of each model, and everything on the page follows.

import { counted, interval, percent, shown, written } from "./format.js";
import { Measures } from "./intervals.js";
import { moveMarks } from "./charts.js";
import { askedIn, remember } from "./link.js";

const byId = (id) => document.getElementById(id);

export class LiveCut {
  constructor(data, models) {
    this.data = data;
    this.models = models;
    this.measures = new Measures(data.program);
    this.chosen = 0;
    this.cuts = models.map((model) => model.opening());
    this.prices = { cost_fp: 1, cost_fn: 1 };
    this.followers = []; // what else of the page follows the cut
    this.cheap = new Map(); // the cheapest cut of each model, at the prices that it was looked for
    this.costs = null; // the prices, where they are not those that the page opened with
  }

  get model() {
    return this.models[this.chosen];
  }

  get cut() {
    return this.cuts[this.chosen];
  }

  start() {
    byId("slider").addEventListener("input", () => this.slide(Number(byId("slider").value)));
    for (const name of FIELDS) byId(name).addEventListener("change", () => this.enter(name, byId(name)));
    for (const name of ["cost-fp", "cost-fn"]) byId(name).addEventListener("input", () => this.price());
    byId("go-cheapest").addEventListener("click", () => this.goCheapest());
    byId("reset").addEventListener("click", () => this.reset());
    byId("model")?.addEventListener("change", () => {
      this.chosen = Number(byId("model").value);
      this.show();
    });
    // The address of the event: until it is handled, a cut that waits to be remembered may have replaced it.
    window.addEventListener("hashchange", (event) => this.follow(new URL(event.newURL).hash));
    this.show();
    this.follow();
  }

  // Go to the cut that the address names, such as #threshold=0.31 or #quota=500.
  follow(hash = window.location.hash) {
    const asked = askedIn(hash);
    const model = Number(asked.model ?? this.chosen);
    if (model in this.models) this.chosen = model;
    if (byId("model")) byId("model").value = String(this.chosen);
    for (const name of ["cost-fp", "cost-fn"]) {
      const cost = asked[name.replace("-", "_")];
      if (cost !== undefined) byId(name).value = cost;
    }
    if ("cost_fp" in asked || "cost_fn" in asked) {
      this.price();
      this.goCheapest();
    }
    const name = FIELDS.find((field) => field in asked);
    if (name) this.go(name, asked[name].trim() === "" ? NaN : Number(asked[name]));
  }

  reset() {
    this.move((model) => model.opening());
    remember("");
  }

  // Thresholds mean the same for all models if all scores are probabilities; otherwise only the chosen model moves.
  slide(index) {
    const cut = this.model.at(index);
    this.cuts[this.chosen] = cut;
    if (this.sharesThresholds) {
      this.cuts = this.models.map((model, i) => (i === this.chosen ? cut : model.atThreshold(cut.threshold)));
    }
    this.show();
    this.rememberThreshold();
  }

  get sharesThresholds() {
    return this.models.every((model) => model.is_risk);
  }

  rememberThreshold() {
    const model = this.models.length > 1 ? `&model=${this.chosen}` : "";
    remember(`threshold=${Number.isFinite(this.cut.threshold) ? this.model.spelled(this.cut) : this.cut.threshold}${model}`);
  }

  move(how) {
    this.cuts = this.models.map(how);
    this.show();
  }

  enter(name, input) {
    if (input.value === input.dataset.shown) return; // browsers call what the page itself wrote a change, too
    this.go(name, input.value.trim() === "" ? NaN : Number(input.value));
  }

  go(name, typed) {
    const wrong = this.refusal(name, typed);
    byId(name).setAttribute("aria-invalid", String(Boolean(wrong)));
    byId("refusal").textContent = wrong;
    if (wrong) return;
    if (name === "threshold") {
      const moves = (i) => this.sharesThresholds || i === this.chosen;
      this.cuts = this.models.map((model, i) => (moves(i) ? model.atThreshold(typed) : this.cuts[i]));
      this.show();
      this.rememberThreshold();
      return;
    }
    if (name === "quota") this.move((model) => model.atQuota(typed));
    if (name === "share") this.move((model) => model.atQuota(model.places(typed / 100)));
    if (name === "recall") this.move((model) => model.reaching(this.measured("recall"), typed / 100));
    if (name === "fpr") this.move((model) => model.within(this.measured("fpr"), typed / 100));
    remember(`${name}=${typed}`);
  }

  refusal(name, typed) {
    const { total, integral, positives, negatives } = this.model;
    if (Number.isNaN(typed)) return "Enter a number, with a point for decimals.";
    if (name === "threshold") return "";
    if (name === "quota") {
      if (integral && !Number.isInteger(typed)) return "Enter a whole number of cases.";
      return typed >= 1 && typed <= total ? "" : `Enter a number of cases from 1 to ${written(Math.floor(total))}.`;
    }
    if (!(typed >= 0 && typed <= 100)) return "Enter a percentage from 0 to 100.";
    if (name === "recall" && !positives) return "No case is positive, so there is no recall to reach.";
    if (name === "fpr" && !negatives) return "No case is negative, so there is no false positive rate to keep.";
    if (name === "share" && this.model.places(typed / 100) < (integral ? 1 : Number.MIN_VALUE)) {
      return `That is less than one of ${counted(total)} cases: enter a larger share.`;
    }
    return "";
  }

  price() {
    const inputs = ["cost-fp", "cost-fn"].map(byId);
    const [fp, fn] = inputs.map((input) => (input.value.trim() === "" ? NaN : Number(input.value)));
    const isCost = (cost) => Number.isFinite(cost) && cost >= 0;
    const valid = isCost(fp) && isCost(fn) && fp + fn > 0;
    [fp, fn].forEach((cost, i) => inputs[i].setAttribute("aria-invalid", String(!isCost(cost) || (!valid && cost === 0))));
    byId("cost-refusal").textContent = valid ? "" : "Costs are numbers from 0, and one of them is above 0.";
    if (!valid) return;
    this.prices = { cost_fp: fp, cost_fn: fn };
    this.costs = fp === 1 && fn === 1 ? null : this.prices;
    this.show();
  }

  // A measure as a function of the cut; the program comes from its definition.
  measured(name) {
    return (cut) => this.measures.point(name, cut, this.prices);
  }

  cheapest(model) {
    const known = this.cheap.get(model);
    if (known?.prices === this.prices) return known.cut;
    const cut = model.least(this.measured("expected_cost"));
    this.cheap.set(model, { prices: this.prices, cut });
    return cut;
  }

  goCheapest() {
    const { cost_fp: fp, cost_fn: fn } = this.prices;
    this.move((model) => this.cheapest(model));
    remember(`cost_fp=${fp}&cost_fn=${fn}`);
  }

  // ---- showing

  show() {
    this.showInputs();
    this.showSentence();
    this.showMatrix();
    this.showCosts();
    this.showMeasures();
    if (this.models.length > 1) this.showModels();
    moveMarks(this.cuts, this.measures, this.costs);
    this.followers.forEach((follow) => follow());
  }

  showInputs() {
    const { cut, model } = this;
    const flagged = cut.tp + cut.fp;
    const slider = byId("slider");
    slider.max = String(model.last);
    slider.value = String(cut.index);
    slider.setAttribute("aria-valuetext", `${rule(model, cut)}, flags ${written(flagged)} of ${written(model.total)}`);
    const fields = {
      threshold: Number.isFinite(cut.threshold) ? model.spelled(cut) : "",
      quota: Number(flagged.toPrecision(Number.isInteger(flagged) ? 15 : 6)),
      share: round(100 * this.measured("predicted_positive_rate")(cut)),
      recall: round(100 * this.measured("recall")(cut)),
      fpr: round(100 * this.measured("fpr")(cut)),
    };
    for (const [name, value] of Object.entries(fields)) {
      byId(name).value = byId(name).dataset.shown = Number.isNaN(value) ? "" : String(value);
      byId(name).setAttribute("aria-invalid", "false");
    }
    byId("refusal").textContent = "";
  }

  showSentence() {
    const { cut, model } = this;
    const flagged = cut.tp + cut.fp;
    const { found, missed, falsely, about } = outcomes(model, cut);
    byId("bar-rule").textContent = rule(model, cut);
    byId("bar-flagged").textContent = `flags ${counted(flagged)} of ${counted(model.total)} (${percent(this.measured("predicted_positive_rate")(cut))})`;
    byId("sentence").textContent =
      `${rule(model, cut)[0].toUpperCase()}${rule(model, cut).slice(1)}: ${counted(flagged)} of ${counted(model.total)} cases are flagged. ` +
      `${about ? "About " : ""}${counted(found)} of the ${counted(model.positives)} positives ${be(found)} found, ` +
      `${about}${counted(missed)} ${be(missed)} missed; ${about}${counted(falsely)} of the ${counted(model.negatives)} negatives ` +
      `${falsely === 1 ? "is a false alarm" : "are false alarms"}.` +
      (cut.inside > 0 ? " The last positions go at random to cases of equal score: the counts are expectations." : "") +
      (cut.snapped ? " This is the nearest cut that this file holds." : "");
  }

  showMatrix() {
    const { cut, model } = this;
    const cells = {
      tp: cut.tp, fp: cut.fp, fn: cut.fn, tn: cut.tn,
      flagged: cut.tp + cut.fp, unflagged: cut.fn + cut.tn,
      positives: model.positives, negatives: model.negatives, total: model.total,
    };
    for (const [name, value] of Object.entries(cells)) byId(`cell-${name}`).textContent = counted(value);
  }

  showCosts() {
    const { cut, model } = this;
    const [best, cost] = [this.cheapest(model), this.measured("total_cost")];
    byId("cost-now").textContent = shownCost(cost(cut));
    byId("cost-best").textContent = shownCost(cost(best));
    byId("cheapest-rule").textContent =
      `${rule(model, best)}: flags ${counted(best.tp + best.fp)}, misses ${counted(best.fn)}, ${counted(best.fp)} false alarms`;
    byId("go-cheapest").disabled = best.index === cut.index && cut.inside === 0;
  }

  // Whether the numbers of a model are those of the evaluation: its cut has not been moved, nor have the costs.
  isOpening(i = this.chosen) {
    const [now, then] = [this.cuts[i], this.models[i].opening()];
    return this.costs === null && now.index === then.index && now.inside === then.inside && now.threshold === then.threshold;
  }

  // The measures of one cut: of the evaluation as long as its cut is shown, and computed here for any other.
  estimates(i = this.chosen) {
    if (!this.isOpening(i)) return this.measures.estimates(this.cuts[i], this.models[i], this.costs);
    const rows = new Map(rowsOf(this.data, i).map((row) => [row.measure, row]));
    return this.measures.entries.map((entry) => fromRow(rows.get(entry.name)));
  }

  showMeasures() {
    const isMoved = !this.isOpening();
    byId("moved").hidden = !isMoved || this.cut.inside > 0 || this.model.grouped;
    byId("no-intervals").hidden = !isMoved || this.cut.inside === 0;
    byId("no-groups").hidden = !isMoved || !this.model.grouped;
    this.estimates().forEach((found, i) => {
      const entry = this.measures.entries[i];
      for (const row of document.querySelectorAll(`[data-row="${entry.id}"]`)) this.showRow(row, found, entry);
    });
  }

  showRow(row, found, entry) {
    const texts = {
      value: shown(found.value),
      interval: interval(found.low, found.high) || found.reason,
      method: this.data.methods[found.method] ?? found.method,
      baseline: Number.isNaN(found.baseline) ? "" : shown(found.baseline),
    };
    for (const [name, text] of Object.entries(texts)) {
      for (const place of row.querySelectorAll(`.${name}`)) place.textContent = text;
    }
    scale(row.querySelector(".scale"), found, entry.range);
  }

  showModels() {
    this.models.forEach((model, i) => {
      const cut = this.cuts[i];
      const row = byId(`model-${i}`);
      row.classList.toggle("chosen", i === this.chosen);
      const counts = [cut.tp + cut.fp, cut.tp, cut.fp, cut.fn].map(counted);
      const rates = ["precision", "recall"].map((name) => shown(this.measured(name)(cut)));
      const cells = [rule(model, cut), ...counts, ...rates, shownCost(this.measured("total_cost")(cut))];
      cells.forEach((cell, k) => (row.cells[k + 1].textContent = cell));
    });
  }
}

const FIELDS = ["threshold", "quota", "share", "recall", "fpr"];

// The rows of a model in the document of the evaluation.
export function rowsOf({ document: found, models }, i) {
  return (found.models ? found.models[models[i].name] : found).measures;
}

// A row as JSON holds it, which knows no infinite number.
function fromRow(row) {
  const value = row.value ?? (row.reason === "infinite" ? Infinity : NaN);
  const has = row.method !== "";
  const low = row.low ?? (has ? -Infinity : NaN);
  const high = row.high ?? (has ? Infinity : NaN);
  const reason = row.reason === "infinite" ? "" : row.reason;
  return { name: row.measure, value, low, high, method: row.method, baseline: row.baseline ?? NaN, reason };
}

// The counts of a sentence; inside a tie they are expectations, of which people read whole cases, "about" so many.
function outcomes(model, cut) {
  if (!(cut.inside > 0)) return { found: cut.tp, missed: cut.fn, falsely: cut.fp, about: "" };
  const whole = (count) => Math.round(Number(count.toFixed(6)));
  const found = whole(cut.tp);
  return { found, missed: whole(model.positives - found), falsely: whole(cut.tp + cut.fp - found), about: "about " };
}

function be(count) {
  return count === 1 ? "is" : "are";
}

export function rule(model, cut) {
  if (cut.index === 0 && !Number.isFinite(cut.threshold)) return `threshold ${model.higher ? "above" : "below"} every score`;
  if (cut.inside > 0) return `the first ${counted(cut.tp + cut.fp)} cases (the last positions shared among ties at ${model.spelled(cut)})`;
  return `score ${model.higher ? "≥" : "≤"} ${model.spelled(cut)}`;
}

function round(value) {
  return Number(value.toPrecision(4));
}

function shownCost(cost) {
  return counted(Number(cost.toPrecision(9)));
}

function scale(place, found, range) {
  if (!place) return;
  const usable = range[0] !== null && range[1] !== null && !Number.isNaN(found.value);
  place.hidden = !usable;
  if (!usable) return;
  for (const name of ["value", "low", "high", "baseline"]) {
    const at = (100 * (found[name] - range[0])) / (range[1] - range[0]);
    if (Number.isFinite(at)) place.style.setProperty(`--${name}`, at.toFixed(2));
    else place.style.removeProperty(`--${name}`);
  }
}
