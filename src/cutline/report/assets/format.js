// Numbers as people read them: the same rules as in the tables of the Python package.

export function shown(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "undefined";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size >= 1000) return rounded(value, 6);
  if (size < 1e-12) return "0.0000"; // which is rounding
  if (size >= 0.001) return (value + 0).toFixed(4).replace(/^-(0\.0+)$/, "$1");
  return rounded(value, 3);
}

// So many digits, and the power of ten where they say little of the size: 1.23457e+06 and 3.23e-05, as the tables have it.
function rounded(value, digits) {
  const found = Number(value.toPrecision(digits));
  if (Math.abs(found) >= 0.0001 && Math.abs(found) < 1e6) return String(found);
  const [factor, power] = found.toExponential().split("e");
  return `${factor}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

// A count without a decimal point where it has no decimals.
export function written(value) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
}

// Counts in sentences and tables, with thin spaces between thousands.
export function counted(value) {
  const [whole, rest] = written(value).split(".");
  const grouped = whole.length > 4 && /^\d+$/.test(whole) ? whole.replace(/\B(?=(\d{3})+$)/g, "\u2009") : whole;
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

export function percent(share) {
  return Number.isFinite(share) ? `${Number((100 * share).toPrecision(3))} %` : "undefined";
}

export function interval(low, high) {
  return low === null || Number.isNaN(low) || Number.isNaN(high) ? "" : `${shown(low)} to ${shown(high)}`;
}
