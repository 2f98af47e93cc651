// The bounds of a promise: how many cases may be beyond a cut, and what share that bounds, as in cutline.cuts.guarantees.

const HALF_LOG_2_PI = 0.5 * Math.log(2 * Math.PI);

// log n! less Stirling's approximation of it.
function stirlingError(n) {
  if (n < 16) {
    let log = 0;
    for (let k = 2; k <= n; k++) log += Math.log(k);
    return n === 0 ? 0 : log - (n + 0.5) * Math.log(n) + n - HALF_LOG_2_PI;
  }
  const m = n * n;
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / m) / m) / m) / m) / n;
}

export function logFactorial(n) {
  return n === 0 ? 0 : stirlingError(n) + (n + 0.5) * Math.log(n) - n + HALF_LOG_2_PI;
}

// x log(x / mean) + mean - x, without the loss of digits when both are near (Loader, 2000).
function deviance(x, mean) {
  const away = x - mean;
  if (Math.abs(away) >= 0.1 * (x + mean)) return x * Math.log(x / mean) - away;
  const v = away / (x + mean);
  let [sum, term] = [away * v, 2 * x * v];
  for (let j = 1; j < 1000; j++) {
    term *= v * v;
    const next = sum + term / (2 * j + 1);
    if (next === sum) break;
    sum = next;
  }
  return sum;
}

// The chance that of n independent cases, each hit with the chance p, exactly k are.
function exactly(k, n, p) {
  if (k === 0) return Math.exp(n * Math.log1p(-p));
  if (k === n) return Math.exp(n * Math.log(p));
  const log = stirlingError(n) - stirlingError(k) - stirlingError(n - k) - deviance(k, n * p) - deviance(n - k, n * (1 - p));
  return Math.exp(log - HALF_LOG_2_PI) * Math.sqrt(n / k / (n - k));
}

// The chance that at least k are: the tail on the nearer side is added up.
export function atLeast(k, n, p) {
  if (k <= 0) return 1;
  if (k > n || p <= 0) return 0;
  if (p >= 1) return 1;
  const odds = p / (1 - p);
  let sum = 0;
  if (k > n * p) {
    for (let i = k, term = exactly(k, n, p); i <= n && term > 1e-17 * sum; i++) {
      sum += term;
      term *= ((n - i) / (i + 1)) * odds;
    }
    return sum;
  }
  for (let i = k - 1, term = exactly(k - 1, n, p); i >= 0 && term > 1e-17 * sum; i--) {
    sum += term;
    term *= i / (n - i + 1) / odds;
  }
  return 1 - sum;
}

// Clopper and Pearson's upper bound of a rate of which `missed` of `cases` were seen.
export function upperBound(missed, cases, level) {
  if (missed >= cases) return 1;
  let [low, high, p] = [0, 1, (missed + 1) / (cases + 1)];
  for (let i = 0; i < 200; i++) {
    const above = atLeast(missed + 1, cases, p) - level;
    if (above === 0) return p;
    if (above < 0) low = p;
    else high = p;
    const step = p - above / (cases * exactly(missed, cases - 1, p)); // Newton's, inside what is known
    const next = step > low && step < high ? step : (low + high) / 2;
    if (Math.abs(next - p) <= 1e-16 * p || high - low < 1e-17) return next;
    p = next;
  }
  return p;
}

// How many of the cases may be beyond a cut that promises a rate; -1 when none promises it. `own` rounds a count up to one
// with a bound of its own.
export function allowedBeyond(cases, rate, level, own = (count) => count) {
  let [low, high] = [0, cases];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (atLeast(own(middle), cases, rate) >= level) low = middle;
    else high = middle - 1;
  }
  return low - 1;
}

// How many cases it takes for a cut that misses none of them to promise the rate.
export function casesNeeded(rate, level) {
  if (rate <= 0) return Infinity;
  if (rate >= 1) return 1;
  let least = Math.max(1, Math.ceil(Math.log1p(-level) / Math.log1p(-rate)) - 1);
  while (allowedBeyond(least, rate, level) < 0) least += 1;
  return least;
}
