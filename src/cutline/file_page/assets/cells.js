// What stands in a cell: a number in one of several spellings, a label, or nothing.

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const INFINITE = /^[+-]?inf(inity)?$/i;
const WHOLE_LABEL = /^[+-]?(0|[1-9]\d*)$/; // "007" is a name
const NUMBER_LABEL = /^[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const WITH_COMMA = /^[+-]?\d*,\d+([eE][+-]?\d+)?\s*%?$/;
const WITH_POINT = /^[+-]?\d*\.\d+([eE][+-]?\d+)?\s*%?$/;

// How the numbers of a column are written, from some of its cells.
export function spellingOf(cells) {
  const known = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  const hasComma = known.some((cell) => WITH_COMMA.test(cell));
  return { comma: hasComma && !known.some((cell) => WITH_POINT.test(cell)), percent: known.length > 0 && known.every((cell) => cell.endsWith("%")) };
}

// A function from a trimmed cell to its number; NaN where it is none. A percentage is divided by 100 without rounding twice.
export function numberReader({ comma, percent, isPercentage }) {
  return (cell) => {
    let text = cell;
    if (percent) {
      if (!text.endsWith("%")) return NaN;
      text = text.slice(0, -1).trimEnd();
    }
    if (comma) text = text.includes(".") ? "" : text.replace(",", ".");
    if (NUMBER.test(text)) return Number(percent || isPercentage ? hundredth(text) : text);
    if (!INFINITE.test(text)) return NaN;
    return text.startsWith("-") ? -Infinity : Infinity;
  };
}

function hundredth(text) {
  const [digits, power] = text.toLowerCase().split("e");
  return `${digits}e${Number(power ?? 0) - 2}`;
}

export function isNumberCell(cell, spelling) {
  return !Number.isNaN(numberReader(spelling)(cell.trim()));
}

// What to do about a cell that should be a number.
export function numberHint(cell) {
  if (WITH_COMMA.test(cell)) return "write all numbers of the column with a decimal point, or all with a comma";
  if (/^[+-]?\d{1,3}([,_ '.]\d{3})+/.test(cell)) return "write numbers without separators of thousands";
  return "choose a column of numbers";
}

// Labels that mean the same have one name: 1 and 1.0 where all are numbers, True and true where all are one of the two.
export function labelNames(texts) {
  if (texts.every((text) => WHOLE_LABEL.test(text) || NUMBER_LABEL.test(text))) return texts.map((text) => String(Number(text)));
  const lower = texts.map((text) => text.toLowerCase());
  return lower.every((text) => text === "true" || text === "false") ? lower : texts;
}

// Which of two labels is positive, where that is plain; null where somebody has to say it.
export function plainPositive(names) {
  const usual = [["0", "1"], ["-1", "1"], ["false", "true"]];
  return usual.find((pair) => names.every((name) => pair.includes(name)))?.[1] ?? null;
}

export function quotedName(name) {
  const short = name.length > 60 ? `${name.slice(0, 59)}…` : name;
  return `'${short}'`;
}
