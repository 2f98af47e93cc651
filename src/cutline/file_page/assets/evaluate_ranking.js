// All that follows from a ranking, by the programs that were traced from the Python definitions.

import { runColumns } from "./columns.js";
import { shortList, varianceOf } from "./influence.js";
import { hullCorners } from "./make_ranking.js";

const FINE = 1 / 800; // of a chart's width: nearer points cannot be told apart
const NOT_PROBABILITIES = "the scores are not probabilities of the positive class, from 0 to 1";
const NO_SPREAD = "these cases tell no spread";
const ONLY_RESAMPLED = "by resampling only";
const ELSEWHERE = "on the command line";

export function evaluateRanking(ranking, programs, higher) {
  const areProbabilities = higher && ranking.score[0] <= 1 && ranking.score.at(-1) >= 0;
  const { steps, measures, curves, freedom } = programs.ranking;
  const places = [...measures.flatMap(placesOf), ...Object.values(curves), freedom];
  const results = runColumns(steps, ranking, places);
  const short = shortList(ranking, programs.ranking.plenty);
  const [tp, fp] = [ranking.pos, ranking.neg].map(cumulated);
  const squares = ranking.integral ? {} : { tp2: cumulated(ranking.pos2), fp2: cumulated(ranking.neg2) };
  const at = Object.fromEntries(Object.entries(curves).map(([name, place]) => [name, results.get(place)]));
  return {
    restsOn: restsOn(results.get(freedom), programs.ranking.rests_on),
    measures: measures.map((entry) => estimate(entry, results, areProbabilities, short, programs.ranking.z)),
    model: {
      higher, tp, fp, ...squares,
      scores: higher ? ranking.score : ranking.score.map((score) => -score),
      is_risk: areProbabilities,
      integral: ranking.integral,
      hull: hullCorners(tp, fp),
    },
    curves: {
      roc: thinned(at.fpr, at.tpr),
      precision_recall: thinned(at.tpr.subarray(1), at.precision.subarray(1)),
    },
    reliability: areProbabilities ? reliability(ranking, programs) : null,
  };
}

function placesOf({ value, baseline, reasons, limits }) {
  return [value, ...(baseline === null ? [] : [baseline]), ...reasons.map(([, place]) => place), ...(limits ?? [])];
}

function cumulated(cells) {
  const totals = new Float64Array(cells.length + 1);
  for (let i = 0; i < cells.length; i++) totals[i + 1] = totals[i] + cells[i];
  return totals;
}

// On how many cases the interval of the AUC rests, in a sentence; empty where these are many.
function restsOn(freedom, sentences) {
  return Number.isFinite(freedom) ? (sentences[Math.max(Math.round(freedom / 2), 1) - 1] ?? "") : "";
}

// A measure with its interval, or with the reason why it has no value, or why it has no interval (`lacks`).
function estimate(entry, results, areProbabilities, short, z) {
  const undefinedWhen = entry.reasons.filter(([, place]) => results.get(place)).map(([words]) => words).join(" and ");
  const reason = entry.of_probabilities && !areProbabilities ? NOT_PROBABILITIES : undefinedWhen;
  const none = { name: entry.name, value: NaN, low: NaN, high: NaN, method: "", baseline: NaN, reason, lacks: "" };
  if (reason) return none;
  const value = results.get(entry.value);
  const baseline = entry.baseline === null ? NaN : results.get(entry.baseline);
  const [low, high, method, lacks] = byInfluence(entry.alone, value, short, z) ?? byFormula(entry, results);
  if (Number.isNaN(low) || Number.isNaN(high)) return { ...none, value, baseline, lacks };
  const inside = (limit) => Math.min(Math.max(limit, entry.range[0] ?? -Infinity), entry.range[1] ?? Infinity);
  return { ...none, value, baseline, method, low: Math.min(inside(low), value), high: Math.max(inside(high), value) };
}

function byFormula({ limits, method, resampled }, results) {
  if (limits === null) return [NaN, NaN, "", resampled ? ONLY_RESAMPLED : ELSEWHERE];
  const [low, high, isUsual] = limits.map((place) => results.get(place));
  const name = method[isUsual ? 0 : 1];
  return name ? [low, high, name, NO_SPREAD] : [NaN, NaN, "", NO_SPREAD];
}

// Where there are plenty of cases; null where there are not, or where single cases make the measure jump.
function byInfluence(program, value, short, z) {
  if (program === null || short === null) return null;
  const half = z * Math.sqrt(varianceOf(program, value, short));
  return half > 0 ? [value - half, value + half, "influence", ""] : null;
}

// The points of a curve that can be told apart in a chart, its ends among them.
function thinned(x, y) {
  const points = [];
  let [lastX, lastY] = [NaN, NaN];
  for (let i = 0; i < x.length; i++) {
    const isNear = Math.abs(x[i] - lastX) < FINE && Math.abs(y[i] - lastY) < FINE;
    if (Number.isNaN(x[i]) || Number.isNaN(y[i]) || (isNear && i < x.length - 1)) continue;
    points.push([x[i], y[i]]);
    [lastX, lastY] = [x[i], y[i]];
  }
  return points;
}

function reliability(ranking, programs) {
  const { steps, results } = programs.reliability[ranking.integral ? "whole" : "weighted"];
  const computed = runColumns(steps, ranking, Object.values(results));
  const [observed, expected, cases] = ["observed", "expected", "cases"].map((name) => computed.get(results[name]));
  return Array.from(cases, (n, i) => ({ n, k: observed[i], x: expected[i] / n, y: observed[i] / n })).filter(({ n }) => n > 0);
}
