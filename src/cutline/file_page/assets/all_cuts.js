// The cuts of a ranking that stands in memory as a whole: every one can be shown, and a search looks where it has to.

import { Cuts } from "./ranking.js";

const SEARCHED = 20_000; // cuts among which requirements are looked for
const FIRST = 2000; // at the top of the list, where quotas are

export class AllCuts extends Cuts {
  // Weights that are no counts make cases count as groups do: formulas of counts give a cut no intervals.
  constructor(model) {
    super({ ...model, name: "", grouped: !model.integral, single: false, kept: null, start: { threshold: 0.5, quota: null } });
    const [low, high] = [this.scores.at(-1), this.scores[0]].sort((a, b) => a - b);
    if (low < 0 || high > 1) this.start.threshold = this.threshold(this.flagsAsManyAsPositive());
  }

  // The cut at which about as many cases are flagged as are positive; not all, if there is another cut.
  flagsAsManyAsPositive() {
    let best = 1;
    const distance = (i) => Math.abs(this.flagged(i) - this.positives);
    for (let i = 2; i < this.last; i++) if (distance(i) < distance(best)) best = i;
    return best;
  }

  // Whatever errors cost, a corner of the ROC hull is the cheapest cut, the strictest of equal ones.
  least(measure) {
    let [best, least] = [0, measure(this.at(0))]; // which is a corner
    for (const corner of this.hull) {
      const value = measure(this.at(corner));
      if (value < least - 1e-12 * Math.abs(least)) [best, least] = [corner, value];
    }
    return this.at(best);
  }

  // The cuts among which a promise is looked for: of a long list, the first, evenly spread ones, and corners of the hull.
  searched() {
    if (!this.isLong) return super.searched();
    const step = this.last / SEARCHED;
    const spread = Array.from({ length: SEARCHED }, (_, i) => Math.floor(i * step));
    const first = Array.from({ length: FIRST }, (_, i) => i);
    return [...new Set([...first, ...spread, ...this.hull, this.last])].sort((a, b) => a - b);
  }

  get isLong() {
    return this.last > 2 * SEARCHED;
  }
}
