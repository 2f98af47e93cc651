// Student's quantile, of which no browser knows: Newton's method on the incomplete beta function.

const SMALLEST = 1e-300;
const EXACT = 1e-16;

// How many standard errors an interval of a level extends to each side. The tail is convex, so that steps from the
// left never go too far; the angle is that whose tangent is t over the root of the degrees of freedom.
export function studentQuantile(level, degrees) {
  if (!(degrees > 0 && level > 0 && level < 1)) return NaN;
  const factor = ratioOfGammas(degrees / 2) / Math.sqrt(Math.PI);
  let angle = 0;
  for (let i = 0; i < 100; i++) {
    const density = 2 * factor * Math.exp(((degrees - 1) / 2) * logOfCosine2(angle));
    const step = (tail(angle, degrees, factor) - (1 - level)) / density;
    angle = Math.min(angle + step, (angle + Math.PI / 2) / 2);
    if (Math.abs(step) <= 4 * EXACT * angle) break;
  }
  return Math.sqrt(degrees) * Math.tan(angle);
}

// The chance that Student's t is farther from 0 than this, to either side.
function tail(angle, degrees, factor) {
  const [a, b] = [degrees / 2, 1 / 2];
  const [cosine2, sine2] = [Math.cos(angle) ** 2, Math.sin(angle) ** 2];
  const front = factor * Math.exp(a * logOfCosine2(angle)) * Math.sin(angle);
  if (cosine2 < (a + 1) / (a + b + 2)) return (front * fraction(a, b, cosine2)) / a;
  return 1 - (front * fraction(b, a, sine2)) / b;
}

// The logarithm of the squared cosine, exact near both ends.
function logOfCosine2(angle) {
  const sine2 = Math.sin(angle) ** 2;
  return sine2 < 0.5 ? Math.log1p(-sine2) : 2 * Math.log(Math.cos(angle));
}

// The continued fraction of the incomplete beta function, by Lentz's method.
function fraction(a, b, x) {
  const away = (value) => (Math.abs(value) < SMALLEST ? SMALLEST : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let product = d;
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    product *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    product *= d * c;
    if (Math.abs(d * c - 1) < EXACT) break;
  }
  return product;
}

// The gamma function at x + 1/2, divided by that at x: by the recurrence to where Stirling's series is exact.
function ratioOfGammas(x) {
  let [factor, large] = [1, x];
  for (; large < 32; large += 1) factor *= large / (large + 0.5);
  const coefficients = [1, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304, 39325 / 33554432];
  return factor * Math.sqrt(large) * coefficients.reduce((sum, one, power) => sum + one / large ** power, 0);
}
