// Where a cut stands on the axes of the charts, by the names that the charts' specifications use.

const FURTHEST = 1e-6; // rates of 0 and 1 have no normal deviate: they stand at the edge of the chart

export function coordinate(name, cut, measures, costs) {
  if (name === "threshold") return cut.threshold;
  if (name === "flagged") return cut.tp + cut.fp;
  if (name === "tp") return cut.tp;
  if (name.endsWith("_deviate")) return deviate(coordinate(name.slice(0, -8), cut, measures, costs));
  return measures.point(name, cut, costs);
}

// The quantile of the normal distribution: by halving, since the error function is quick to add up.
export function deviate(share) {
  if (Number.isNaN(share)) return NaN;
  const p = Math.min(Math.max(share, FURTHEST), 1 - FURTHEST);
  let [low, high] = [-6, 6];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (normal(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

// The normal distribution function, by the series of Marsaglia (2004).
function normal(x) {
  let [sum, term] = [x, x];
  for (let i = 3; Math.abs(term) > 1e-17; i += 2) {
    term *= (x * x) / i;
    sum += term;
  }
  return 0.5 + sum * Math.exp(-0.5 * x * x - 0.91893853320467274178);
}
