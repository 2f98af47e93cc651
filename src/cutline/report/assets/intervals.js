// The measures of a cut with their intervals: Wilson for shares, Newcombe's for sums of two, the log scale for odds
// ratios, and MOVER for all else; with weights that are no counts, the infinitesimal jackknife. What they compute comes as programs from the Python definitions.

import { run } from "./program.js";

export class Measures {
  constructor({ steps, measures, points, intervals }) {
    Object.assign(this, { steps, points, intervals, known: new WeakMap() });
    this.entries = measures;
    this.defaults = Object.assign({}, ...measures.map((entry) => entry.parameters));
  }

  results(cut, costs) {
    const known = this.known.get(cut);
    if (known && known.costs === costs) return known.found;
    const found = run(this.steps, inputs(cut, this.defaults, costs));
    this.known.set(cut, { costs, found });
    return found;
  }

  // A single value, such as a coordinate of a chart: its program is short. NaN where the page does not know it.
  point(name, cut, costs) {
    const known = this.points[name];
    return known ? run(known.steps, inputs(cut, known.parameters, costs))[known.result] : NaN;
  }

  estimates(cut, model, costs) {
    const found = this.results(cut, costs);
    const hasIntervals = !model.grouped && cut.inside === 0;
    const variances = hasIntervals && !model.integral ? this.variances(cut, costs) : null;
    const moved = hasIntervals && model.integral ? this.moved(cut, costs) : null;
    return this.entries.map((entry) => {
      if (entry.looked_up) return lookedUp(entry, cut, model);
      const value = found[entry.value];
      const reason = entry.reasons.filter(([, place]) => found[place]).map(([words]) => words).join(" and ");
      const baseline = reason || entry.baseline === null ? NaN : found[entry.baseline];
      const none = { name: entry.name, value, low: NaN, high: NaN, method: "", baseline, reason };
      // Cases in groups are not independent, and a cut inside a tie is none of a threshold: these methods fit neither.
      if (Number.isNaN(value) || !hasIntervals) return none;
      const [method, low, high] = this.limits(entry, value, found, cut, { variances, moved });
      if (Number.isNaN(low) || Number.isNaN(high)) return none;
      const inside = (limit) => Math.min(Math.max(limit, entry.range[0] ?? -Infinity), entry.range[1] ?? Infinity);
      return { ...none, method, low: Math.min(inside(low), value), high: Math.max(inside(high), value) };
    });
  }

  // Weights that are not whole numbers say how much a case counts, not how many there are: no formula of counts fits.
  limits(entry, value, found, cut, { variances, moved }) {
    if (variances) {
      const half = this.intervals.z * Math.sqrt(variances[entry.value]);
      return half > 0 ? ["influence", value - half, value + half] : ["influence", NaN, NaN]; // none rather than no width
    }
    if (entry.share) return this.ofShare(entry, found);
    if (entry.sum) return ["square_and_add", ...entry.sum.map((place) => found[place])];
    if (entry.ratio) return this.ofRatio(entry.ratio, value, cut);
    const there = Object.fromEntries(moved.tables.map((table, i) => [`at_${i}`, table[entry.value]]));
    const given = { value, may_tell_nothing: moved.mayTellNothing, ...there };
    return ["mover", ...results(this.intervals.three_shares, given)];
  }

  // All measures at the tables that MOVER looks at, and whether the cut may tell nothing.
  moved(cut, costs) {
    const cells = results(this.intervals.moved, cut);
    const mayTellNothing = cells.pop();
    const tables = Array.from({ length: cells.length / CELLS.length }, (_, i) =>
      this.results({ ...cut, ...Object.fromEntries(CELLS.map((name, k) => [name, cells[CELLS.length * i + k]])) }, costs),
    );
    return { tables, mayTellNothing };
  }

  ofShare({ share, then }, found) {
    const [k, n] = share.map((place) => found[place]);
    const [low, high, isModified] = results(this.intervals.share, { k, n });
    const limits = [low, high].map((limit) => (then ? run(then.steps, { share: limit })[then.result] : limit));
    return [isModified ? "wilson_modified" : "wilson", ...limits];
  }

  ofRatio({ above, below, odds }, value, cut) {
    let [a, b, c, d] = [...above, ...below].map((name) => cut[name]);
    if (!odds) return ["mover", ...results(this.intervals.ratio, { a, b, c, d })];
    if (Math.min(a, b, c, d) === 0) [a, b, c, d] = [a + 0.5, b + 0.5, c + 0.5, d + 0.5]; // Haldane, Anscombe
    const [low, high] = results(this.intervals.odds, { a, b, c, d });
    return ["log", value === 0 ? 0 : low, value === Infinity ? Infinity : high];
  }

  // What one case more of each kind would change, squared and added up over the cases: of every step at once.
  variances(cut, costs) {
    const slopes = CELLS.map((name) => {
      if (!(cut[name] > 0)) return null;
      const width = cut[name] * STEP;
      const [up, down] = [width, -width].map((by) => this.results({ ...cut, [name]: cut[name] + by }, costs));
      return up.map((result, i) => (result - down[i]) / (2 * width));
    });
    const total = CELLS.reduce((sum, name) => sum + cut[name], 0);
    return this.steps.map((_, place) => {
      const slope = slopes.map((one) => (one ? one[place] : 0));
      const mean = CELLS.reduce((sum, name, i) => sum + cut[name] * slope[i], 0) / total;
      const variance = CELLS.reduce((sum, name, i) => sum + cut.second[name] * (slope[i] - mean) ** 2, 0);
      return Number.isFinite(variance) ? variance : NaN;
    });
  }
}

const CELLS = ["tp", "fp", "fn", "tn"];
const STEP = 1e-5; // of a count, as in the Python package

// What programs read: the table of the cut, and parameters such as costs, where the reader has changed them.
function inputs({ tp, fp, fn, tn, threshold, isRisk }, defaults, costs) {
  const own = Object.entries(defaults).map(([input, value]) => [input, costs?.[input.split(".").at(-1)] ?? value]);
  return { tp, fp, fn, tn, threshold, is_risk: isRisk, ...Object.fromEntries(own) };
}

function results({ steps, results }, inputs) {
  const found = run(steps, inputs);
  return results.map((place) => found[place]);
}

// A measure without a program: its numbers were computed for each cut of this file, and for none inside a tie.
function lookedUp(entry, cut, model) {
  const known = model.looked_up?.[entry.name];
  const at = (name) => (known && cut.inside === 0 ? Number(known[name][cut.index]) : NaN);
  const [value, low, high, baseline] = ["value", "low", "high", "baseline"].map(at);
  const reason = known && cut.inside > 0 ? "it is not known inside a tie" : (known?.reason?.[cut.index] ?? "");
  return { name: entry.name, value, low, high, method: Number.isNaN(low) ? "" : known.method, baseline, reason };
}
