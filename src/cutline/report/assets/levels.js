// At which level each bound of a band stands so that all hold at once, as in cutline.cuts.guarantees.

import { casesNeeded, logFactorial, upperBound } from "./bounds.js";

const EVERY_INDEX = 1000; // cases, up to which each order statistic has a bound of its own
const NEGLIGIBLE = 1e-18; // chance that is counted as a failure of the band
const ROUNDING = 1e-9;
// Below this rate it takes so many cases that working out how many would hold up the page.
const LEAST_RATE = 1e-3;

// How many cases it takes for the band to promise the rate at a cut that misses none of them; NaN where it would take long.
export function casesNeededAnywhere(rate, confidence) {
  let needed = casesNeeded(rate, confidence);
  if (rate > 0 && rate < LEAST_RATE) return NaN;
  while (Number.isFinite(needed)) {
    const more = casesNeeded(rate, 1 - localLevel(needed, confidence));
    if (more <= needed) break;
    needed = more;
  }
  return needed;
}

// The chance with which each single bound may fail so that all hold with the confidence.
export function localLevel(cases, confidence) {
  const index = indices(cases);
  const allowed = Math.log1p(-confidence);
  const tolerance = cases <= EVERY_INDEX ? 1e-7 : 1e-3;
  const tooMuch = (logTail) => {
    const bounds = index.map((i) => upperBound(i - 1, cases, 1 - Math.exp(logTail)));
    return Math.log1p(ROUNDING - chanceBelow(bounds, index, cases)) - allowed;
  };
  let at = allowed - Math.log(Math.max(1, Math.log(Math.min(cases, 2.6 * EVERY_INDEX)) ** 1.93));
  let [excess, slope] = [tooMuch(at), 0.86];
  while (!(excess >= -tolerance && excess <= 0)) {
    const before = [at, excess];
    at -= (excess + tolerance / 2) / slope;
    excess = tooMuch(at);
    slope = Math.min(Math.max((excess - before[1]) / (at - before[0]), 0.3), 3);
  }
  return Math.exp(at);
}

// The order statistics with a bound of their own, where not each has one: null where each has.
export function sharedBounds(cases) {
  return cases <= EVERY_INDEX ? null : indices(cases);
}

// The order statistics with a bound of their own.
function indices(cases) {
  if (cases <= EVERY_INDEX) return Array.from({ length: cases }, (_, i) => i + 1);
  const last = Math.sqrt(cases);
  const step = (last - 1) / (EVERY_INDEX - 1);
  const roots = Array.from({ length: EVERY_INDEX }, (_, i) => (i === EVERY_INDEX - 1 ? last : i * step + 1));
  return [...new Set([...roots.map((root) => Math.floor(root * root)), cases])];
}

// The chance that the uniform order statistics with these indices are all below their bounds: the number of uniforms
// below a rising limit moves by Poisson steps, and at the bound of the i-th smallest it must be i or more.
function chanceBelow(bounds, index, cases) {
  let [chance, start] = [new Float64Array([1]), 0];
  for (let i = 0; i < index.length; i++) {
    const mean = cases * (bounds[i] - (i ? bounds[i - 1] : 0));
    const reach = 9 * Math.sqrt(mean) + 30;
    const first = Math.max(0, Math.floor(mean - reach));
    const step = poisson(mean, first, Math.min(cases, Math.ceil(mean + reach)));
    start += first;
    const from = Math.max(0, index[i] - start);
    chance = convolved(chance, step, from, Math.max(0, cases + 1 - start));
    start = Math.max(start, index[i]);
    const low = chance.findIndex((one) => one > NEGLIGIBLE);
    if (low < 0) return 0;
    const high = chance.findLastIndex((one) => one > NEGLIGIBLE);
    chance = chance.subarray(low, high + 1);
    start += low;
  }
  const rest = poisson(cases * (1 - bounds.at(-1)), cases - start - chance.length + 1, cases - start);
  const whole = Math.exp(cases * Math.log(cases) - cases - logFactorial(cases));
  return chance.reduce((sum, one, i) => sum + one * rest[rest.length - 1 - i], 0) / whole;
}

function poisson(mean, first, last) {
  const made = new Float64Array(last - first + 1);
  for (let k = first; k <= last; k++) made[k - first] = Math.exp((k ? k * Math.log(mean) : 0) - mean - logFactorial(k));
  return made;
}

// The part of a convolution from one place up to another.
function convolved(one, two, from, to) {
  const made = new Float64Array(Math.max(0, Math.min(to, one.length + two.length - 1) - from));
  for (let i = 0; i < one.length; i++) {
    const shift = i - from;
    const last = Math.min(two.length, made.length - shift);
    for (let j = Math.max(0, -shift); j < last; j++) made[shift + j] += one[i] * two[j];
  }
  return made;
}
