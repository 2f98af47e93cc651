// Intervals at a cut: Wilson for shares, logarithms for ratios, and the infinitesimal jackknife for all else.

import { COUNT_MEASURES, situation } from "./measures.js";

// A measure of one cut with its interval, and what a model that knows nothing would have.
export function estimate(entry, cut, model, settings) {
  const definition = COUNT_MEASURES[entry.name];
  const value = definition.value(cut, settings);
  const found = { name: entry.name, value, low: NaN, high: NaN, method: "", chance: NaN };
  if (Number.isNaN(value)) return found;
  found.chance = definition.chance(situation(cut), settings);
  // Cases in groups are not independent, and a cut inside a tie is none of a threshold: these methods fit neither.
  if (model.grouped || cut.inside > 0) return found;
  const [method, limits] = definition.of
    ? ["wilson", () => ofShare(definition, cut, model, settings.z)]
    : definition.ratio
      ? ["log", () => ofRatio(definition.ratio, value, cut, model, settings.z)]
      : ["influence", () => ofSlope((c) => definition.value(c, settings), value, cut, settings.z)];
  const [low, high] = limits();
  if (Number.isNaN(low) || Number.isNaN(high)) return found;
  const inside = (limit) => Math.min(Math.max(limit, entry.range[0] ?? -Infinity), entry.range[1] ?? Infinity);
  return { ...found, method, low: Math.min(inside(low), value), high: Math.max(inside(high), value) };
}

export function wilson(k, n, z) {
  const centre = (k + (z * z) / 2) / (n + z * z);
  const half = (z * Math.sqrt((k * (n - k)) / n + (z * z) / 4)) / (n + z * z);
  return [k > 0 ? centre - half : 0, k < n ? centre + half : 1];
}

// Weights that are not whole numbers say how much a case counts, not how many there are: n is the effective number.
function ofShare(definition, cut, model, z) {
  let [k, n] = definition.of(cut);
  if (!model.integral) {
    const scale = n / definition.of(cut.second)[1];
    [k, n] = [k * scale, n * scale];
  }
  return wilson(k, n, z).map(definition.then);
}

function ofRatio({ above, below, odds }, value, cut, model, z) {
  const scale = { tp: 1, fn: 1, fp: 1, tn: 1 };
  if (!model.integral) {
    scale.tp = scale.fn = (cut.tp + cut.fn) / (cut.second.tp + cut.second.fn);
    scale.fp = scale.tn = (cut.fp + cut.tn) / (cut.second.fp + cut.second.tn);
  }
  let [a, b, c, d] = [...above, ...below].map((name) => cut[name] * scale[name]);
  if (Math.min(a, b, c, d) === 0) [a, b, c, d] = [a + 0.5, b + 0.5, c + 0.5, d + 0.5]; // Haldane, Anscombe
  const ratio = odds ? (a * d) / (b * c) : a / (a + b) / (c / (c + d));
  const variance = odds ? 1 / a + 1 / b + 1 / c + 1 / d : 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d);
  const factor = Math.exp(z * Math.sqrt(variance));
  return [value === 0 ? 0 : ratio / factor, value === Infinity ? Infinity : ratio * factor];
}

const CELLS = ["tp", "fp", "fn", "tn"];
const STEP = 1e-5; // of a count, as in the Python package

// What one case more of each kind would change, squared and added up over the cases, is the variance.
function ofSlope(measure, value, cut, z) {
  const slopes = CELLS.map((name) => {
    const width = cut[name] * STEP;
    const moved = (by) => measure({ ...cut, [name]: cut[name] + by });
    return cut[name] > 0 ? (moved(width) - moved(-width)) / (2 * width) : 0;
  });
  const total = CELLS.reduce((sum, name) => sum + cut[name], 0);
  const mean = CELLS.reduce((sum, name, i) => sum + cut[name] * slopes[i], 0) / total;
  const variance = CELLS.reduce((sum, name, i) => sum + cut.second[name] * (slopes[i] - mean) ** 2, 0);
  if (!Number.isFinite(variance)) return [NaN, NaN];
  const half = z * Math.sqrt(variance);
  return [value - half, value + half];
}
