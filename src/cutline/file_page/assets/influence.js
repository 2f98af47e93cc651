// What single cases change in a measure of the order: the infinitesimal jackknife of cutline.inference.influence.
// A long list is put together into cells of neighbours; in it, the cases of one class in one stretch weigh a little
// more or less, and the program of the measure says what that changes.

import { runColumns } from "./columns.js";

const STRETCHES = 50; // per class
const CELLS = 400; // per class
const IN_A_CELL = 20; // cases of each class, or nearly
const TOP = 64; // scores at the top of the list that stay alone
const LARGEST_STEP = 0.5; // of the weight of a stretch
const FAITHFUL = 0.02; // by how much the shorter list may change the measure, as a share of its value
const BENT = 0.15; // how much more and less weight may differ in what they change, squared, as a share of the change

const total = (cells) => cells.reduce((sum, one) => sum + one, 0);

// The list that stands for a long one, and its stretches; null where a class has not plenty of cases.
export function shortList(ranking, plenty) {
  const { pos, neg, pos2, neg2 } = ranking;
  const [positives, negatives] = [total(pos), total(neg)];
  const effective = [[positives, pos2], [negatives, neg2]].map(([sum, squares]) => (sum * sum) / total(squares));
  if (!(Math.min(...effective) >= plenty)) return null;
  const enough = Math.floor(Math.floor(Math.min(positives, negatives)) / IN_A_CELL);
  const stretches = Math.max(Math.floor(STRETCHES / 5), Math.min(STRETCHES, enough));
  const cells = stretches * Math.max(1, Math.floor(Math.min(CELLS, enough) / stretches));
  const list = { pos: [], neg: [], first: [], pos2: [], neg2: [] };
  const isWhole = pos.length <= 2 * cells;
  let [tp, fp, cell, stretch] = [0, 0, -1, -1];
  for (let i = 0; i < pos.length; i++) {
    tp += pos[i];
    fp += neg[i];
    const part = (count) => Math.trunc(count * (tp / positives)) + Math.trunc(count * (fp / negatives));
    const [newCell, newStretch] = [part(cells), part(stretches)];
    const isNew = i < TOP || isWhole || newCell > cell;
    if (isNew && newStretch > stretch) {
      list.first.push(list.pos.length);
      list.pos2.push(0);
      list.neg2.push(0);
    }
    if (isNew) {
      list.pos.push(0);
      list.neg.push(0);
    }
    list.pos[list.pos.length - 1] += pos[i];
    list.neg[list.neg.length - 1] += neg[i];
    list.pos2[list.pos2.length - 1] += pos2[i];
    list.neg2[list.neg2.length - 1] += neg2[i];
    [cell, stretch] = [newCell, newStretch];
  }
  return { ...list, total: positives + negatives };
}

// The variance of a measure whose program this is; NaN where it has no slope.
export function varianceOf(program, value, short) {
  const at = (pos, neg) => runColumns(program.steps, columns(pos, neg), [program.value]).get(program.value);
  const middle = at(Float64Array.from(short.pos), Float64Array.from(short.neg));
  if (!(Math.abs(middle - value) <= FAITHFUL * Math.abs(value))) return NaN;
  const changes = [changesOf(at, short, middle, true), changesOf(at, short, middle, false)];
  const [changed, bent] = ["changed", "bent"].map((name) => changes[0][name] + changes[1][name]);
  if (!(bent <= BENT * changed)) return NaN;
  const weights = [sums(short.pos, short.first), sums(short.neg, short.first)];
  const mean = weights.reduce((sum, own, i) => sum + product(own, changes[i].byStretch), 0) / short.total;
  return [short.pos2, short.neg2].reduce((sum, squares, i) => sum + product(squares, changes[i].byStretch.map((one) => (one - mean) ** 2)), 0);
}

function columns(pos, neg) {
  const score = Float64Array.from(pos, (_, i) => -i); // a measure of the order asks for no more
  return { score, pos, neg, pos2: pos, neg2: neg };
}

const product = (a, b) => a.reduce((sum, one, i) => sum + one * b[i], 0);

const sums = (cells, first) => first.map((start, i) => total(cells.slice(start, first[i + 1] ?? cells.length)));

// What one case more of a class changes, for each stretch; where it has none, nothing.
function changesOf(at, short, middle, ofPositives) {
  const mine = ofPositives ? short.pos : short.neg;
  const other = ofPositives ? short.neg : short.pos;
  let [changed, bent] = [0, 0];
  const byStretch = sums(mine, short.first).map((weight, i) => {
    const [start, stop] = [short.first[i], short.first[i + 1] ?? mine.length];
    const step = Math.min(Math.sqrt(STRETCHES / weight), LARGEST_STEP);
    const [up, down] = [step, -step].map((by) => {
      const added = by * weight;
      const scale = short.total / (short.total + added); // the list stays as long as it is
      const own = Float64Array.from(mine, (cell, k) => (k >= start && k < stop ? cell + cell * by : cell) * scale);
      const rest = Float64Array.from(other, (cell) => cell * scale);
      return ofPositives ? at(own, rest) : at(rest, own);
    });
    changed += (up - down) ** 2;
    bent += (up + down - 2 * middle) ** 2;
    return weight > 0 ? (up - down) / (2 * step * weight) : 0;
  });
  return { byStretch, changed, bent };
}
