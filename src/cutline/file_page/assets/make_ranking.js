// The ranking of cases: distinct scores in descending order, with the weight of both classes at each.

// `isPositive` and `scores` have an entry for each case; so has `weights`, unless it is null and each case counts one.
// `sign` is -1 where lower scores are more positive.
export function makeRanking(isPositive, scores, weights, sign) {
  return weights ? ofWeights(isPositive, scores, weights, sign) : ofCounts(isPositive, scores, sign);
}

// Each class is sorted by itself, which typed arrays do quickly, and both are merged from their ends.
function ofCounts(isPositive, scores, sign) {
  const total = scores.length;
  const positives = isPositive.reduce((sum, one) => sum + one, 0);
  const [ones, zeros] = [new Float64Array(positives), new Float64Array(total - positives)];
  let [i, j] = [0, 0];
  for (let k = 0; k < total; k++) {
    if (isPositive[k]) ones[i++] = sign * scores[k];
    else zeros[j++] = sign * scores[k];
  }
  ones.sort();
  zeros.sort();
  const cells = new Cells(total);
  for (i = ones.length, j = zeros.length; i > 0 || j > 0; ) {
    const top = i > 0 && (j === 0 || ones[i - 1] >= zeros[j - 1]) ? ones[i - 1] : zeros[j - 1];
    const [beforeOnes, beforeZeros] = [i, j];
    while (i > 0 && ones[i - 1] === top) i -= 1;
    while (j > 0 && zeros[j - 1] === top) j -= 1;
    cells.add(top, beforeOnes - i, beforeZeros - j);
  }
  return cells.finish(true);
}

function ofWeights(isPositive, scores, weights, sign) {
  const order = Uint32Array.from({ length: scores.length }, (_, i) => i).sort((a, b) => sign * (scores[b] - scores[a]) || a - b);
  const cells = new Cells(scores.length);
  for (let k = 0; k < order.length; ) {
    const top = scores[order[k]];
    let [pos, neg, pos2, neg2] = [0, 0, 0, 0];
    for (; k < order.length && scores[order[k]] === top; k++) {
      const weight = weights[order[k]];
      if (isPositive[order[k]]) (pos += weight), (pos2 += weight * weight);
      else (neg += weight), (neg2 += weight * weight);
    }
    if (pos > 0 || neg > 0) cells.add(sign * top, pos, neg, pos2, neg2);
  }
  return cells.finish(weights.every(Number.isInteger));
}

class Cells {
  constructor(most) {
    this.length = 0;
    for (const name of ["score", "pos", "neg", "pos2", "neg2"]) this[name] = new Float64Array(most);
  }

  add(score, pos, neg, pos2 = pos, neg2 = neg) {
    const i = this.length++;
    this.score[i] = score + 0; // no minus before zero
    this.pos[i] = pos;
    this.neg[i] = neg;
    this.pos2[i] = pos2;
    this.neg2[i] = neg2;
  }

  // Whole weights are that many cases, so that their squares are the weights themselves.
  finish(integral) {
    const { length } = this;
    const [score, pos, neg] = [this.score, this.pos, this.neg].map((column) => column.slice(0, length));
    const [pos2, neg2] = integral ? [pos, neg] : [this.pos2, this.neg2].map((column) => column.slice(0, length));
    return { score, pos, neg, pos2, neg2, integral };
  }
}

// The cuts at the corners of the upper ROC hull: whatever errors cost, a cheapest cut is among them.
export function hullCorners(tp, fp) {
  const corners = [];
  for (let i = 0; i < tp.length; i++) {
    while (corners.length > 1) {
      const [a, b] = [corners[corners.length - 2], corners[corners.length - 1]];
      if ((fp[b] - fp[a]) * (tp[i] - tp[a]) - (tp[b] - tp[a]) * (fp[i] - fp[a]) < 0) break;
      corners.pop();
    }
    corners.push(i);
  }
  return corners;
}
