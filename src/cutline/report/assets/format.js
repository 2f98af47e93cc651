// Numbers as people read them: the same rules as in the tables of the Python package.

export function shown(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "undefined";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size >= 1000) return rounded(value, 6);
  if (size < 1e-12) return "0.0000"; // which is rounding
  if (size >= 0.001) return halfToEven(value + 0, 4).toFixed(4).replace(/^-(0\.0+)$/, "$1");
  return rounded(value, 3);
}

// So many digits, and the power of ten where they say little of the size: 1.23457e+06 and 3.23e-07, as the tables have it.
function rounded(value, digits) {
  const found = Number(precise(value, digits));
  if (Math.abs(found) >= 1e-6 && Math.abs(found) < 1e6) return String(found);
  const [factor, power] = found.toExponential().split("e");
  return `${factor}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

// As toPrecision, but a value halfway between two numbers goes to the even one, as in Python.
function precise(value, digits) {
  const power = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  return halfToEven(value, digits - 1 - power).toPrecision(digits);
}

// JavaScript rounds a value halfway between two decimals away from zero: the next smaller one goes to the even decimal.
function halfToEven(value, decimals) {
  if (!(Math.abs(value) < 1e21)) return value; // beyond, toFixed gives no digits
  const [whole, fraction] = Math.abs(value).toFixed(60).split(".");
  const [digits, end] = [whole + fraction, whole.length + decimals];
  const isHalf = /^50*$/.test(digits.slice(end)) && "02468".includes(digits[end - 1] ?? "0");
  return isHalf ? value * (1 - Number.EPSILON) : value;
}

// A count without a decimal point where it has no decimals.
export function written(value) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  return Number.isInteger(value) ? String(value) : String(Number(precise(value, 6)));
}

// Counts in sentences and tables, with thin spaces between thousands.
export function counted(value) {
  const [whole, rest] = written(value).split(".");
  const grouped = whole.length > 4 && /^\d+$/.test(whole) ? whole.replace(/\B(?=(\d{3})+$)/g, "\u2009") : whole;
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

export function percent(share) {
  return Number.isFinite(share) ? `${Number(precise(100 * share, 3))} %` : "undefined";
}

export function interval(low, high) {
  if (low === null || Number.isNaN(low) || Number.isNaN(high)) return "";
  const size = Math.max(Math.abs(low), Math.abs(high));
  const limits = [low, high].map((limit) => {
    const isSmall = Math.abs(limit) < 0.001 && size >= 0.001; // which has four decimals beside a larger one
    return isSmall ? limit.toFixed(4).replace("-0.0000", "0.0000") : shown(limit);
  });
  return limits.join(" to ");
}
