// Programs over whole columns of a ranking: every operation on numbers, entry by entry, and what only columns can do.

import { OPERATIONS } from "./program.js";
import { studentQuantile } from "./student.js";

const isColumn = (value) => value instanceof Float64Array;

const COLUMN_OPERATIONS = {
  sum: addUp,
  dot: (a, b) => addUp(entryByEntry("multiply", [a, b])),
  max: (column) => column.reduce((best, value) => Math.max(best, value), -Infinity), // NaN if one is
  min: (column) => column.reduce((best, value) => Math.min(best, value), Infinity),
  cumulate: (column) => runningTotals(column, 1),
  cumsum: (column) => runningTotals(column, 0),
  diff: (column) => Float64Array.from({ length: column.length - 1 }, (_, i) => column[i + 1] - column[i]),
  reverse: (column) => column.toReversed(),
  at: (column, place) => column.at(place),
  slice: (column, start, stop) => column.subarray(start, stop === Infinity ? undefined : stop),
  student_quantile: studentQuantile,
  bincount: (places, weights, length) => {
    const sums = new Float64Array(length);
    for (let i = 0; i < places.length; i++) sums[places[i]] += weights[i];
    return sums;
  },
};

// Neumaier's sum, exact to the last digits for a million entries; infinite terms stay infinite.
function addUp(column) {
  let [sum, lost, plain] = [0, 0, 0];
  for (let i = 0; i < column.length; i++) {
    const value = column[i];
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
    plain += value;
  }
  return Number.isFinite(plain) ? sum + lost : plain;
}

// `before` is how many zeros stand before the first total.
function runningTotals(column, before) {
  const totals = new Float64Array(column.length + before);
  let total = 0;
  for (let i = 0; i < column.length; i++) totals[i + before] = total += column[i];
  return totals;
}

// Operations that make up most of the work have loops of their own, which run ten times as fast as calls.
const LOOPS = {
  add(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] + b[i];
  },
  subtract(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] - b[i];
  },
  multiply(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] * b[i];
  },
  divide(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] / b[i];
  },
  greater(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] > b[i] ? 1 : 0;
  },
  greater_equal(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] >= b[i] ? 1 : 0;
  },
  equal(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] === b[i] ? 1 : 0;
  },
  logical_and(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] && b[i] ? 1 : 0;
  },
  where(out, condition, yes, no) {
    for (let i = 0; i < out.length; i++) out[i] = condition[i] ? yes[i] : no[i];
  },
  power(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = b[i] === 2 ? a[i] * a[i] : b[i] === 1 ? a[i] : OPERATIONS.power(a[i], b[i]);
  },
  maximum(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = Math.max(a[i], b[i]);
  },
  log(out, a) {
    for (let i = 0; i < out.length; i++) out[i] = Math.log(a[i]);
  },
  log1p(out, a) {
    for (let i = 0; i < out.length; i++) out[i] = Math.log1p(a[i]);
  },
};

function entryByEntry(operation, values) {
  const { length } = values.find(isColumn);
  const out = new Float64Array(length);
  const columns = values.map((value) => (isColumn(value) ? value : new Float64Array(length).fill(Number(value))));
  if (LOOPS[operation]) LOOPS[operation](out, ...columns);
  else {
    const apply = OPERATIONS[operation];
    const [a, b] = columns;
    for (let i = 0; i < length; i++) out[i] = b ? apply(a[i], b[i]) : apply(a[i]); // all others take one or two
  }
  return out;
}

// The results of some steps of a program. A column that no later step needs is let go, so that memory stays bounded.
export function runColumns(steps, inputs, results) {
  const isResult = new Set(results);
  const lastUse = new Map();
  steps.forEach(([operation, ...places], step) => {
    if (operation !== "number" && operation !== "input") places.forEach((place) => lastUse.set(place, step));
  });
  const computed = [];
  steps.forEach(([operation, ...rest], step) => {
    if (operation === "number") computed.push(Number(rest[0]));
    else if (operation === "input") computed.push(inputs[rest[0]] ?? NaN);
    else {
      const values = rest.map((place) => computed[place]);
      if (operation in COLUMN_OPERATIONS) computed.push(COLUMN_OPERATIONS[operation](...values));
      else if (values.some(isColumn)) computed.push(entryByEntry(operation, values));
      else computed.push(OPERATIONS[operation](...values));
      for (const place of rest) if (lastUse.get(place) === step && !isResult.has(place)) computed[place] = null;
    }
  });
  return new Map(results.map((place) => [place, computed[place]]));
}
