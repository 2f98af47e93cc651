// Programs traced from the Python definitions: steps that work on earlier ones, by the names of numpy's functions.
// No measure is defined here; division and logarithms behave as numpy's do (0/0 is NaN, x/0 is infinite).

export const OPERATIONS = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  floor_divide: (a, b) => Math.floor(a / b),
  negative: (a) => -a,
  absolute: Math.abs,
  sign: Math.sign,
  power: (a, b) => (a === 1 || b === 0 ? 1 : a ** b),
  square: (a) => a * a,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  exp: Math.exp,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  floor: Math.floor,
  ceil: Math.ceil,
  minimum: Math.min,
  maximum: Math.max,
  fmin: (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b)),
  fmax: (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b)),
  equal: (a, b) => Number(a) === Number(b),
  not_equal: (a, b) => Number(a) !== Number(b),
  less: (a, b) => a < b,
  less_equal: (a, b) => a <= b,
  greater: (a, b) => a > b,
  greater_equal: (a, b) => a >= b,
  logical_and: (a, b) => Boolean(a) && Boolean(b),
  logical_or: (a, b) => Boolean(a) || Boolean(b),
  logical_not: (a) => !a,
  isnan: Number.isNaN,
  isfinite: Number.isFinite,
  isinf: (a) => a === Infinity || a === -Infinity,
  hypot: Math.hypot,
  where: (condition, yes, no) => (condition ? yes : no),
  frexp_mantissa: (a) => a * 2 ** -exponent(a),
  frexp_exponent: (a) => exponent(a),
  ldexp: (a, power) => a * 2 ** power,
};

// The power of two just above a number.
function exponent(a) {
  if (a === 0 || !Number.isFinite(a)) return 0;
  let found = Math.floor(Math.log2(Math.abs(a))) + 1; // the logarithm may be rounded across a power of two
  if (Math.abs(a) >= 2 ** found) found += 1;
  if (Math.abs(a) < 2 ** (found - 1)) found -= 1;
  return found;
}

// The result of every step. An input that nobody gives is NaN, and so is what follows from it.
export function run(steps, inputs) {
  const found = [];
  for (const [operation, ...rest] of steps) {
    if (operation === "number") found.push(Number(rest[0])); // infinite ones come as words
    else if (operation === "input") found.push(inputs[rest[0]] ?? NaN);
    else found.push(OPERATIONS[operation](...rest.map((place) => found[place])));
  }
  return found;
}
