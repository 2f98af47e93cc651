// What may be typed into the fields of requirements.

export function isValid(name, typed, model) {
  if (typed === null) return true;
  if (!Number.isFinite(typed)) return false;
  if (name === "quota") return Number.isInteger(typed) && typed >= 1 && typed <= model.total;
  if (name === "miss") return typed >= 0;
  return name === "prevalence" ? typed > 0 && typed < 100 : typed >= 0 && typed <= 100;
}

export function refusalOf(name, model) {
  if (name === "quota") return `Enter a whole number of cases from 1 to ${model.total}.`;
  if (name === "miss") return "Enter a cost of 0 or more, with a point for decimals.";
  return name === "prevalence" ? "Enter a prevalence between 0 and 100 %." : "Enter a percentage from 0 to 100.";
}
