// Sentences and numbers as the Python package writes them.

export function fill(sentence, numbers) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(numbers[name]));
}

export function inPercent(share) {
  return `${Number((100 * share).toPrecision(6))} %`;
}

// A confidence as people say it, rounded down where it has more than four digits.
export function confidenceInWords(confidence) {
  const asGiven = Math.round(1e4 * confidence) / 100;
  const isShort = Math.abs(asGiven - 100 * confidence) < 1e-9;
  return `${isShort ? asGiven : Math.floor(1e4 * confidence) / 100} %`;
}

// Every digit that it takes to read the number back.
export function exact(number) {
  const text = Math.abs(number) < 1e-4 && number !== 0 ? number.toExponential() : String(number);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

export function number(value) {
  return Number.isFinite(value) ? exact(value) : `float("${value > 0 ? "" : "-"}inf")`;
}

export function reach(threshold, higher) {
  if (Number.isFinite(threshold)) return `score ${exact(threshold)} or ${higher ? "more" : "less"}`;
  return threshold > 0 === higher ? "are flagged (this cut flags nobody)" : "are flagged";
}

export function listed(parts) {
  return parts.length < 3 ? parts.join(" and ") : `${parts.slice(0, -1).join(", ")}, and ${parts.at(-1)}`;
}
