// The ranking at its cuts: how many positives and negatives are at or above each. Everything follows from it.

export class Cuts {
  constructor(model) {
    Object.assign(this, model);
    this.scores = model.scores.map(Number); // infinite ones come as words
    this.next = (model.next ?? model.scores).map(Number); // the score after each cut, also where it has no cut here
    this.start = { ...model.start, threshold: Number(model.start.threshold) };
    this.sign = model.higher ? 1 : -1;
    this.positives = model.tp.at(-1);
    this.negatives = model.fp.at(-1);
    this.total = this.positives + this.negatives;
    this.last = model.tp.length - 1;
  }

  threshold(index) {
    return index === 0 ? this.sign * Infinity : this.scores[index - 1];
  }

  // The cut of the evaluation.
  opening() {
    return this.start.quota === null ? this.atThreshold(this.start.threshold) : this.atQuota(this.start.quota);
  }

  flagged(index) {
    return this.tp[index] + this.fp[index];
  }

  // The table of a cut; `inside` is the part of the next score's cases that is flagged too, at random.
  at(index, { threshold = this.threshold(index), inside = 0, snapped = false } = {}) {
    const next = Math.min(index + 1, this.last);
    const tp = this.tp[index] + inside * (this.tp[next] - this.tp[index]);
    const fp = this.fp[index] + inside * (this.fp[next] - this.fp[index]);
    const cut = {
      tp, fp,
      fn: Math.max(this.positives - tp, 0),
      tn: Math.max(this.negatives - fp, 0),
      threshold, index, inside, snapped,
      isRisk: this.is_risk,
    };
    cut.second = this.tp2 ? this.squares(inside > 0 ? next : index) : cut;
    return cut;
  }

  squares(index) {
    const [tp, fp] = [this.tp2[index], this.fp2[index]];
    return { tp, fp, fn: this.tp2.at(-1) - tp, tn: this.fp2.at(-1) - fp };
  }

  // Whether no cut was left out of this file between a cut and the next one.
  isFollowed(index) {
    return index === this.last || this.kept === null || this.kept[index + 1] === this.kept[index] + 1;
  }

  atThreshold(typed) {
    const at = this.sign * (this.single ? Math.fround(typed) : typed);
    const index = firstTrue(this.last, (i) => this.sign * this.scores[i] < at);
    const isExact = this.isFollowed(index) || this.threshold(index) === typed;
    return isExact ? this.at(index, { threshold: typed }) : this.at(index, { snapped: true });
  }

  // The threshold of a cut in few digits, but so many that it still cuts there: people copy it.
  spelled({ index, inside, threshold }) {
    const last = inside > 0 ? index + 1 : index;
    const [found, after] = [last > 0 ? this.scores[last - 1] : this.sign * Infinity, this.next[last] ?? -this.sign * Infinity];
    for (let digits = 6; digits < 17; digits++) {
      const short = Number(threshold.toPrecision(digits));
      const at = this.single ? Math.fround(short) : short;
      if (this.sign * found >= this.sign * at && this.sign * at > this.sign * after) return short;
    }
    return threshold;
  }

  // The first places of the list. Inside a tie they go to its cases at random, so the counts are expectations.
  atQuota(places) {
    const cell = Math.min(firstTrue(this.last, (i) => this.flagged(i + 1) >= places), this.last - 1);
    if (Math.abs(this.flagged(cell + 1) - places) <= 1e-9 * this.total) return this.at(cell + 1);
    if (!this.isFollowed(cell)) return this.at(cell, { snapped: true });
    const inside = (places - this.flagged(cell)) / (this.flagged(cell + 1) - this.flagged(cell));
    return this.at(cell, { inside, threshold: this.scores[cell] });
  }

  // A share is a capacity: part of a place does not count.
  places(share) {
    return this.integral ? Math.floor(Number((share * this.total).toFixed(6))) : share * this.total;
  }

  // The cuts among which one that keeps promises is looked for.
  searched() {
    return [...Array(this.last + 1).keys()];
  }

  // The strictest cut at which a measure that rises along the list reaches a bound, such as a recall.
  reaching(measure, bound) {
    return this.at(Math.min(firstTrue(this.last, (i) => measure(this.at(i)) >= bound), this.last));
  }

  // The widest cut at which a measure that rises along the list does not exceed a bound, such as a false positive rate.
  within(measure, bound) {
    return this.at(Math.max(firstTrue(this.last + 1, (i) => measure(this.at(i)) > bound) - 1, 0));
  }

  // The cut at which a measure is least, the strictest of those where it is the same but for rounding.
  least(measure) {
    let [best, least] = [0, measure(this.at(0))];
    for (let i = 1; i <= this.last; i++) {
      const value = measure(this.at(i));
      if (value < least - 1e-12 * Math.abs(least)) [best, least] = [i, value];
    }
    return this.at(best);
  }
}

// The first whole number below `end` for which a condition that turns true once holds; `end` if for none.
export function firstTrue(end, holds) {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
