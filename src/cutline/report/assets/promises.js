// What the cut promises: bounds that hold wherever the slider stops, and requirements that find the cut of choose_cut().

import { allowedBeyond, casesNeeded, upperBound } from "./bounds.js";
import { casesNeededAnywhere } from "./levels.js";
import { isValid, refusalOf } from "./fields.js";
import { run } from "./program.js";
import { firstTrue } from "./ranking.js";
import { shown } from "./format.js";
import { confidenceInWords, exact, fill, inPercent, listed, number, reach } from "./sentences.js";
import { copy, download, tell } from "./files.js";

const element = (id) => document.getElementById(id);
const WANTED = ["recall", "fpr", "precision", "quota", "miss", "prevalence"];
const SIGNS = { recall: ">=", fpr: "<=", precision: ">=" };

export function startPromises(data, live) {
  if (element("promise-statement")) new Promises(data, live).start();
}

export class Promises {
  constructor(data, live) {
    this.data = data;
    this.live = live;
    this.words = data.promises.words;
    this.known = new Map(); // the bounds of a model, by what they are of, level and count
    this.found = null; // the cut that was asked for, as long as it is the one that is shown
  }

  get levels() {
    return this.data.promises.models[this.live.chosen];
  }

  start() {
    for (const name of WANTED) element(`want-${name}`).addEventListener("change", () => this.ask());
    element("want-before").addEventListener("change", () => this.ask());
    element("want-clear").addEventListener("click", () => this.clear());
    element("promise-copy").addEventListener("click", async () => {
      const done = await copy(element("promise-statement").textContent);
      tell(done ? "The statement was copied." : "Copying is not allowed here: select the statement.");
    });
    element("promise-save").addEventListener("click", () =>
      download("cut.json", "application/json", JSON.stringify(this.document(), null, 2) + "\n"),
    );
    this.live.followers.push(() => {
      this.refuse(""); // another cut is shown, so that the refusal of the one that was asked for is over
      this.show();
    });
    this.show();
  }

  clear() {
    for (const name of WANTED) element(`want-${name}`).value = "";
    element("want-before").checked = false;
    this.found = null;
    this.refuse("");
    this.show();
  }

  // ---- bounds

  cases(about) {
    const { positives, negatives } = this.live.model;
    return about === "recall" ? positives : negatives;
  }

  // The smallest count with a bound of its own that is not below a count.
  own(about) {
    const shared = this.levels.shared[about];
    return shared === null ? (count) => count : (count) => shared[firstTrue(shared.length - 1, (i) => shared[i] >= count)];
  }

  // The upper bound of the rate beyond a cut that holds at every cut at once, with the promises on so many pieces.
  band(about, beyond, pieces) {
    const cases = this.cases(about);
    if (beyond >= cases) return 1;
    const missed = this.own(about)(beyond + 1) - 1;
    const key = `${this.live.chosen} ${about} ${missed} ${pieces}`;
    if (!this.known.has(key)) this.known.set(key, upperBound(missed, cases, this.levels.anywhere[about][pieces - 1]));
    return this.known.get(key);
  }

  // The three bounds at a cut; `prevalence` is that of another population, if any.
  bounds({ tp, fp, fn }, prevalence) {
    const pieces = prevalence === null ? 3 : 2;
    const recall = 1 - this.band("recall", fn, pieces);
    const fpr = this.band("fpr", fp, pieces);
    const { steps, result } = this.data.promises.precision;
    const inputs = { recall, fpr, prevalence: prevalence ?? this.levels.prevalence_low };
    const precision = tp + fp > 0 ? run(steps, inputs)[result] : 0;
    return { recall, fpr, precision };
  }

  // ---- what is asked for

  // The fields as choose_cut() takes them, or why not.
  asked() {
    const typed = Object.fromEntries(
      WANTED.map((name) => [name, element(`want-${name}`).value.trim() === "" ? null : Number(element(`want-${name}`).value)]),
    );
    const wrong = WANTED.find((name) => element(`want-${name}`).validity.badInput || !isValid(name, typed[name], this.live.model));
    for (const name of WANTED) element(`want-${name}`).setAttribute("aria-invalid", String(name === wrong));
    if (wrong) return { refusal: refusalOf(wrong, this.live.model) };
    const share = (percent) => (percent === null ? null : Number((percent / 100).toPrecision(12)));
    const rates = Object.fromEntries(["recall", "fpr", "precision"].map((name) => [name, share(typed[name])]));
    const about = Object.keys(rates).filter((name) => rates[name] !== null);
    const prevalence = share(typed.prevalence);
    if (!about.length && typed.quota === null && typed.miss === null) return { nothing: true, prevalence };
    // Precision is promised by its bands, which hold after looking; and without a promise there is nothing to fix.
    const after = Boolean(about.length) && (!element("want-before").checked || rates.precision !== null);
    return { rates, about, quota: typed.quota, miss: typed.miss, prevalence, after };
  }

  ask() {
    const asked = this.asked();
    this.refuse(asked.refusal ?? "");
    this.found = null;
    if (asked.refusal || asked.nothing) return this.show();
    const answer = this.find(asked);
    if (answer.refusal) {
      this.refuse(answer.refusal);
      return this.show();
    }
    this.found = { ...answer, asked, chosen: this.live.chosen };
    this.live.slide(answer.index); // which shows everything, this section included
  }

  refuse(words) {
    element("promise-refusal").textContent = words;
  }

  // How many pieces of the data the promises rest on, and the rates with how many cases may be beyond the cut.
  promises({ rates, about, prevalence, after }) {
    const pieces = rates.precision !== null ? (prevalence === null ? 3 : 2) : Math.max(1, about.length);
    return about.map((name) => {
      const bound = rates[name];
      const text = `${name} ${SIGNS[name]} ${exact(bound)}`;
      if (name === "precision") return { name, bound, text, pieces, confidence: this.levels.confidence };
      const rate = SIGNS[name] === ">=" ? 1 - bound : bound;
      const confidence = this.levels.parts[pieces - 1];
      const level = after ? this.levels.anywhere[name][pieces - 1] : confidence;
      const cases = this.cases(name);
      const allowed = allowedBeyond(cases, rate, level, after ? this.own(name) : undefined);
      return { name, bound, text, pieces, rate, confidence, level, cases, allowed, after };
    });
  }

  // The cut that choose_cut() finds, among those that this file holds.
  find(asked) {
    const { model } = this.live;
    const made = this.promises(asked);
    const impossible = made.find((one) => one.allowed === -1);
    if (impossible) return { refusal: this.tooFew(impossible) };
    const isAllowed = (i) => {
      if (asked.quota !== null && model.flagged(i) > asked.quota) return false;
      return made.every((one) => {
        if (one.name === "recall") return model.positives - model.tp[i] <= one.allowed;
        if (one.name === "fpr") return model.fp[i] <= one.allowed;
        return this.bounds(model.at(i), asked.prevalence).precision >= one.bound;
      });
    };
    const places = model.searched().filter(isAllowed);
    if (!places.length) {
      const alone = made.length + (asked.quota !== null) === 1;
      const words = { requirement: made[0]?.text, confidence: confidenceInWords(this.levels.confidence) };
      return { refusal: alone ? fill(this.words.not_promised, words) : this.words.no_cut };
    }
    const index = asked.miss === null ? (asked.rates.recall !== null ? places[0] : places.at(-1)) : this.cheapest(places, asked);
    return { index, made };
  }

  // Why no cut promises a rate, and what it would take.
  tooFew({ name, text, confidence, cases, rate, after }) {
    const needed = neededFor(rate, confidence, after);
    if (needed === Infinity) return fill(this.words.never, { requirement: text });
    const [who] = this.words.who[name];
    const words = { requirement: text, confidence: confidenceInWords(confidence), cases, way: this.words.ways[name] };
    const many = (count) => `${count} ${who}${count === 1 ? "" : "s"}`;
    if (Number.isNaN(needed)) return fill(this.words.far_too_few, { ...words, needed: many(casesNeeded(rate, confidence)) });
    return fill(this.words.too_few, { ...words, needed: many(needed) });
  }

  // The expected cost of a cut, as the registry defines it, at the prevalence that was asked for.
  cost(cut, { miss, prevalence }) {
    const { positives, negatives, total } = this.live.model;
    const [up, down] = prevalence === null ? [1, 1] : [(prevalence * total) / positives, ((1 - prevalence) * total) / negatives];
    const table = { ...cut, tp: cut.tp * up, fn: cut.fn * up, fp: cut.fp * down, tn: cut.tn * down };
    return this.live.measures.point("expected_cost", table, { cost_fp: 1, cost_fn: miss });
  }

  // The strictest of the cuts that cost least but for rounding.
  cheapest(places, asked) {
    const costs = places.map((i) => this.cost(this.live.model.at(i), asked));
    const least = Math.min(...costs);
    return places[costs.findIndex((cost) => cost <= least + 1e-12 * Math.max(1, Math.abs(least)))];
  }

  // ---- what is said

  get isFound() {
    const { found, live } = this;
    return found !== null && found.chosen === live.chosen && found.index === live.cut.index && live.cut.inside === 0;
  }

  // The promises at the cut that is shown: those that were asked for, or what the bands say of any cut.
  made() {
    if (this.isFound) return this.found.made;
    const { cut } = this.live;
    const prevalence = this.prevalence;
    const found = this.bounds(cut, prevalence);
    const steps = 10 ** this.words.decimals;
    const down = (share) => Math.floor(share * steps + 1e-9) / steps;
    const pieces = prevalence === null ? 3 : 2;
    return ["recall", "fpr", "precision"].flatMap((name) => {
      const bound = SIGNS[name] === ">=" ? down(found[name]) : -down(-found[name]);
      const text = `${name} ${SIGNS[name]} ${exact(bound)}`;
      if (name === "precision") return bound > 0 ? [{ name, bound, text, confidence: this.levels.confidence }] : [];
      if (!(bound > 0 && bound < 1 && found[name] > 0 && found[name] < 1)) return [];
      const rate = SIGNS[name] === ">=" ? 1 - bound : bound;
      const level = this.levels.anywhere[name][pieces - 1];
      const allowed = allowedBeyond(this.cases(name), rate, level, this.own(name));
      return [{ name, bound, text, confidence: this.levels.parts[pieces - 1], cases: this.cases(name), allowed }];
    });
  }

  get prevalence() {
    if (this.isFound) return this.found.asked.prevalence;
    const asked = this.asked();
    return asked.refusal ? null : asked.prevalence;
  }

  get isAfter() {
    return this.isFound ? this.found.asked.after : true;
  }

  show() {
    const { cut } = this.live;
    const isTied = cut.inside > 0;
    // Beside a refusal, the statement of another cut would be taken for the answer.
    const isSilent = isTied || element("promise-refusal").textContent !== "";
    element("promise-tied").hidden = !isTied;
    for (const name of ["promise-copy", "promise-save"]) element(name).disabled = isSilent;
    for (const name of ["promise-statement", "promise-said"]) element(name).hidden = isSilent;
    const { recall, fpr, precision } = this.bounds(cut, this.prevalence);
    const cells = { recall: [recall, 1], fpr: [fpr, -1], precision: [precision, 1] };
    for (const [name, [bound, sign]] of Object.entries(cells)) {
      const promised = inPercent((sign * Math.floor(sign * bound * 1e4 + 1e-9)) / 1e4);
      element(`promise-${name}-side`).hidden = isTied;
      element(`promise-${name}`).textContent = isTied ? this.words.no_bound : promised;
      const seen = this.live.measures.point(name, cut, null);
      element(`promise-${name}-here`).textContent = Number.isNaN(seen) ? shown(seen) : inPercent(Number(seen.toFixed(4)));
    }
    element("promise-statement").textContent = isSilent ? "" : this.statement();
    element("promise-python").textContent = isSilent ? "" : this.python();
    element("promise-assumes").replaceChildren(...(isSilent ? [] : this.assumptions()).map(item));
    element("promise-snapped").hidden = !(this.isFound && this.live.model.kept !== null);
  }

  statement() {
    const { cut, model } = this.live;
    const made = this.made();
    if (!made.length) return this.isFound ? this.unpromised() : this.nothing();
    const reaches = reach(cut.threshold, model.higher);
    const clauses = made.map(({ name, bound }) =>
      fill(this.words.clauses[name], { rate: inPercent(bound), reaches, prevalence: this.whichPrevalence() }),
    );
    const where = this.isAfter ? ", even if you chose the cut after looking" : "";
    const both = made.length > 1 ? ", all at once" : "";
    const always = made.every(({ name }) => name !== "precision") ? ", whatever the distribution" : "";
    const rooms = this.isFound ? made.filter(({ name }) => name !== "precision").map((one) => this.room(one)) : [];
    const tail = rooms.length ? `; ${rooms.join(" and ")}` : "";
    return `With ${confidenceInWords(this.levels.confidence)} confidence${where}${both}${where || both ? "," : ""} ${listed(clauses)}${always}${tail}.`;
  }

  whichPrevalence() {
    const { prevalence } = this;
    return prevalence === null ? this.words.own_prevalence : fill(this.words.other_prevalence, { percent: inPercent(prevalence) });
  }

  room({ name, cases, allowed }) {
    const [who, verb] = this.words.who[name];
    return fill(this.words.room, { allowed, cases: `${cases} ${who}${cases === 1 ? "" : "s"}`, verb });
  }

  nothing() {
    return fill(this.words.nothing, { confidence: confidenceInWords(this.levels.confidence), threshold: this.named() });
  }

  named() {
    const { threshold } = this.live.cut;
    return Number.isFinite(threshold) ? exact(threshold) : this.words.beyond;
  }

  // Who is flagged, on which side of the threshold.
  flagged() {
    const { threshold } = this.live.cut;
    const { higher } = this.live.model;
    if (!Number.isFinite(threshold)) return threshold > 0 === higher ? this.words.nobody : this.words.everybody;
    return fill(this.words.by_score, { sign: higher ? ">=" : "<=", threshold: exact(threshold) });
  }

  unpromised() {
    const { cut, model } = this.live;
    const { asked } = this.found;
    const cap = asked.quota === null ? "" : fill(this.words.cap, { quota: asked.quota });
    const flags = fill(this.words.flags, { who: this.flagged(), flagged: cut.tp + cut.fp, total: model.total });
    if (asked.miss === null) return fill(this.words.only_rules, { flags, which: "the most", given: cap });
    const given = cap ? ` under ${cap} on these cases` : "";
    const where = this.prevalence === null ? "" : ` at ${this.whichPrevalence()}`;
    const words = { flags, verb: "lowest", criterion: "expected cost", where, given, later: "" };
    return fill(this.words.best, { ...words, apparent: shown(this.cost(cut, asked)) });
  }

  assumptions() {
    const made = this.made();
    if (!made.length) return [];
    const depends = made.some(({ name }) => name === "precision") && this.prevalence === null;
    const before = this.isAfter ? [] : [this.words.in_advance];
    return [...this.words.basis, ...before, ...(depends ? [this.levels.same_prevalence] : []), this.words.no_drift];
  }

  // The call that gives the same cut.
  python() {
    const { prevalence } = this;
    const more = prevalence === null ? "" : `, prevalence=${exact(prevalence)}`;
    const level = this.levels.confidence === 0.95 ? "" : `, level=${exact(this.levels.confidence)}`;
    if (!this.isFound) return `cl.cut_at(ev, threshold=${number(this.live.cut.threshold)}${more}${level})`;
    const { asked, made } = this.found;
    const parts = made.map(({ text }) => `"${text}"`);
    if (asked.quota !== null) parts.push(`quota=${asked.quota}`);
    if (asked.miss !== null) parts.push(`cost_fp=1, cost_fn=${exact(asked.miss)}`);
    if (asked.after) parts.push("after_looking=True");
    return `cl.choose_cut(ev, ${parts.join(", ")}${more}${level})`;
  }

  // ---- the file

  // The cut as Cut.to_dict() writes it.
  document() {
    const { cut, model } = this.live;
    const finite = Number.isFinite(cut.threshold) ? cut.threshold : null;
    const nobody = cut.threshold > 0 === model.higher ? "nobody" : "everybody";
    const { tp, fp, fn, tn } = cut;
    const miss = this.isFound ? this.found.asked.miss : null;
    return {
      schema: this.words.schema,
      threshold: finite,
      flags: finite === null ? nobody : `score ${model.higher ? ">=" : "<="} threshold`,
      higher_is_positive: model.higher,
      positive: this.levels.positive,
      possible: true,
      statement: this.statement(),
      assumptions: this.assumptions(),
      notes: this.isFound ? [this.words.not_repeated] : [],
      requirements: this.made().map((one) => this.requirement(one)),
      criterion: miss === null ? null : `expected_cost@cost_fp=1,cost_fn=${exact(miss)}`,
      apparent: miss === null ? null : this.cost(cut, this.found.asked),
      optimism: null,
      corrected: null,
      threshold_interval: [null, null],
      confidence: this.levels.confidence,
      after_looking: this.isAfter,
      method: "optimum",
      prevalence: this.prevalence,
      counts: { threshold: finite, tp, fp, fn, tn },
      estimates: this.estimates(),
    };
  }

  requirement({ name, text, confidence, cases, allowed, rate, after }) {
    if (name === "precision") {
      const none = { about: null, cases: null, allowed: null, seen: null, needed: null };
      return { requirement: text, confidence, ...none };
    }
    const { cut } = this.live;
    const seen = name === "recall" ? cut.fn : cut.fp;
    const needed = rate === undefined ? null : neededFor(rate, confidence, after); // undefined: nobody asked for it
    return { requirement: text, confidence, about: name, cases, allowed, seen, needed: Number.isFinite(needed) ? needed : null };
  }

  estimates() {
    const level = this.data.document.options?.level ?? this.levels.confidence;
    const known = new Map(this.live.estimates().map((one) => [one.name, one]));
    return this.words.estimated.flatMap((name) => {
      const one = known.get(name);
      if (!one) return [];
      const plain = (value) => (Number.isFinite(value) ? value : null);
      const [value, low, high] = [one.value, one.low, one.high].map(plain);
      return [{ measure: name, value, low, high, level, method: one.method, notes: [] }];
    });
  }
}

function neededFor(rate, confidence, after) {
  return after ? casesNeededAnywhere(rate, confidence) : casesNeeded(rate, confidence);
}

function item(text) {
  const made = document.createElement("li");
  made.textContent = text;
  return made;
}
