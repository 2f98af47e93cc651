// The live cut: whatever is entered moves the cut of each model, and everything on the page follows.

import { counted, interval, percent, shown, written } from "./format.js";
import { estimate } from "./intervals.js";
import { moveMarks } from "./charts.js";

const byId = (id) => document.getElementById(id);

export class LiveCut {
  constructor(data, models) {
    this.data = data;
    this.models = models;
    this.chosen = 0;
    this.cuts = models.map((model) => model.atThreshold(model.start));
    this.settings = { z: data.z, costFp: 1, costFn: 1 };
  }

  get model() {
    return this.models[this.chosen];
  }

  get cut() {
    return this.cuts[this.chosen];
  }

  start() {
    byId("slider").addEventListener("input", () => this.slide(Number(byId("slider").value)));
    for (const name of ["threshold", "quota", "share", "recall", "fpr"]) {
      byId(name).addEventListener("change", () => this.enter(name, byId(name)));
    }
    for (const name of ["cost-fp", "cost-fn"]) byId(name).addEventListener("input", () => this.price());
    byId("go-cheapest").addEventListener("click", () => this.goCheapest());
    byId("reset").addEventListener("click", () => this.move((model) => model.atThreshold(model.start)));
    byId("model")?.addEventListener("change", () => {
      this.chosen = Number(byId("model").value);
      this.show();
    });
    this.show();
  }

  // Thresholds mean the same for all models if all scores are probabilities; otherwise only the chosen model moves.
  slide(index) {
    const cut = this.model.at(index);
    this.cuts[this.chosen] = cut;
    if (this.models.every((model) => model.is_risk)) {
      this.cuts = this.models.map((model, i) => (i === this.chosen ? cut : model.atThreshold(cut.threshold)));
    }
    this.show();
  }

  move(how) {
    this.cuts = this.models.map(how);
    this.show();
  }

  enter(name, input) {
    if (input.value === input.dataset.shown) return; // browsers call what the page itself wrote a change, too
    const typed = input.value.trim() === "" ? NaN : Number(input.value);
    const wrong = this.refusal(name, typed);
    input.setAttribute("aria-invalid", String(Boolean(wrong)));
    byId("refusal").textContent = wrong;
    if (wrong) return;
    if (name === "threshold") {
      const all = this.models.every((model) => model.is_risk);
      this.cuts = this.models.map((model, i) => (all || i === this.chosen ? model.atThreshold(typed) : this.cuts[i]));
      this.show();
    }
    if (name === "quota") this.move((model) => model.atQuota(typed));
    if (name === "share") this.move((model) => model.atQuota(model.places(typed / 100)));
    if (name === "recall") this.move((model) => model.atRecall(typed / 100));
    if (name === "fpr") this.move((model) => model.atFpr(typed / 100));
  }

  refusal(name, typed) {
    const { total, integral, positives, negatives } = this.model;
    if (Number.isNaN(typed)) return "That is no number: enter one, with a point for decimals.";
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
    Object.assign(this.settings, { costFp: fp, costFn: fn });
    this.show();
  }

  goCheapest() {
    this.move((model) => model.cheapest(this.settings.costFp, this.settings.costFn));
  }

  // ---- showing

  show() {
    this.showInputs();
    this.showSentence();
    this.showMatrix();
    this.showCosts();
    this.showMeasures();
    if (this.models.length > 1) this.showModels();
    moveMarks(this.cuts, this.settings);
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
      share: round((100 * flagged) / model.total),
      recall: round((100 * cut.tp) / model.positives),
      fpr: round((100 * cut.fp) / model.negatives),
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
    byId("bar-rule").textContent = rule(model, cut);
    byId("bar-flagged").textContent = `flags ${counted(flagged)} of ${counted(model.total)} (${percent(flagged / model.total)})`;
    byId("sentence").textContent =
      `${rule(model, cut)[0].toUpperCase()}${rule(model, cut).slice(1)}: ${counted(flagged)} of ${counted(model.total)} cases are flagged. ` +
      `${counted(cut.tp)} of the ${counted(model.positives)} positives are found, ${counted(cut.fn)} are missed; ` +
      `${counted(cut.fp)} of the ${counted(model.negatives)} negatives are false alarms.` +
      (cut.inside > 0 ? " The last places go to cases of equal score at random: the counts are expectations." : "") +
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
    const { cut, model, settings } = this;
    const total = (one) => settings.costFp * one.fp + settings.costFn * one.fn;
    const best = model.cheapest(settings.costFp, settings.costFn);
    byId("cost-now").textContent = shownCost(total(cut));
    byId("cost-best").textContent = shownCost(total(best));
    byId("cheapest-rule").textContent =
      `${rule(model, best)}: flags ${counted(best.tp + best.fp)}, misses ${counted(best.fn)}, ${counted(best.fp)} false alarms`;
    byId("go-cheapest").disabled = best.index === cut.index && cut.inside === 0;
  }

  estimates(i = this.chosen) {
    return this.data.measures.map((entry) => estimate(entry, this.cuts[i], this.models[i], this.settings));
  }

  showMeasures() {
    byId("no-intervals").hidden = this.cut.inside === 0;
    for (const found of this.estimates()) {
      const row = byId(`live-${found.name}`);
      const [value, limits, chance, method] = ["value", "interval", "chance", "method"].map((name) => row.querySelector(`.${name}`));
      value.textContent = shown(found.value);
      limits.textContent = interval(found.low, found.high);
      method.textContent = found.method;
      chance.textContent = Number.isNaN(found.chance) ? "" : shown(found.chance);
      scale(row.querySelector(".scale"), found, this.data.measures.find((entry) => entry.name === found.name).range);
    }
  }

  showModels() {
    this.models.forEach((model, i) => {
      const cut = this.cuts[i];
      const cells = [rule(model, cut), cut.tp + cut.fp, cut.tp, cut.fp, cut.fn];
      const row = byId(`model-${i}`);
      row.classList.toggle("chosen", i === this.chosen);
      cells.forEach((cell, k) => {
        row.cells[k + 1].textContent = typeof cell === "string" ? cell : counted(cell);
      });
      ["precision", "recall"].forEach((name, k) => {
        const found = estimate(this.data.measures.find((entry) => entry.name === name), cut, model, this.settings);
        row.cells[k + 6].textContent = shown(found.value);
      });
      row.cells[8].textContent = shownCost(this.settings.costFp * cut.fp + this.settings.costFn * cut.fn);
    });
  }
}

export function rule(model, cut) {
  if (cut.index === 0 && !Number.isFinite(cut.threshold)) return "no score is enough";
  return `score ${model.higher ? "≥" : "≤"} ${model.spelled(cut)}`;
}

function round(value) {
  return Number(value.toPrecision(4));
}

function shownCost(cost) {
  return counted(Number(cost.toPrecision(9)));
}

function scale(place, found, range) {
  const usable = range[0] !== null && range[1] !== null && !Number.isNaN(found.value);
  place.hidden = !usable;
  if (!usable) return;
  for (const name of ["value", "low", "high", "chance"]) {
    const at = (100 * (found[name] - range[0])) / (range[1] - range[0]);
    if (Number.isFinite(at)) place.style.setProperty(`--${name}`, at.toFixed(2));
    else place.style.removeProperty(`--${name}`);
  }
}
