// What stands in a cell: a number in one of several spellings, a label, or nothing.

const WHOLE_LABEL = /^[+-]?(0|[1-9]\d*)$/; // "007" is a name
const NUMBER_LABEL = /^[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

const wholly = (pattern) => new RegExp(`^(?:${pattern})$`, "i");

// The ways of writing numbers that the Python package knows: a plain one, and others that a whole column may have.
export class NumberReader {
  constructor({ number, spellings }) {
    this.isPlain = wholly(number);
    this.spellings = spellings.map((one) => ({ ...one, fits: wholly(one.pattern), isAmbiguous: wholly(one.ambiguous) }));
  }

  isNumber(cell) {
    return this.isPlain.test(cell) || this.spellings.some(({ fits }) => fits.test(cell));
  }

  // How the numbers of a column are written: the place of its spelling, with a note; null if plainly, or not alike.
  spellingOf(name, cells) {
    if (cells.every((cell) => this.isPlain.test(cell))) return null;
    for (const [place, { fits, isAmbiguous, sign, words }] of this.spellings.entries()) {
      const example = cells.find((cell) => cell.includes(sign) && !isAmbiguous.test(cell));
      if (example === undefined || !cells.every((cell) => fits.test(cell))) continue;
      const note = `Column ${quotedName(name)} is written ${words}: ${example} is read as ${this.reader(place, false)(example)}.`;
      return { place, note };
    }
    return null;
  }

  // A function from a trimmed cell to its number; NaN where it is none. A percentage is not rounded twice.
  reader(place, isPercentage) {
    const { fits, decimal, is_percent: isPercent } = this.spellings[place] ?? { fits: this.isPlain, decimal: ".", is_percent: false };
    return (cell) => {
      if (!fits.test(cell)) return NaN;
      const text = cell.replace(decimal, ".").replace(/ ?%$/, "");
      const value = isPercent || isPercentage ? Number(hundredth(text)) : Number(text);
      return Number.isNaN(value) ? infinite(text) : value;
    };
  }
}

function hundredth(text) {
  const [digits, power] = text.toLowerCase().split("e");
  return `${digits}e${Number(power ?? 0) - 2}`;
}

function infinite(text) {
  if (!/^[+-]?inf/i.test(text)) return NaN;
  return text.startsWith("-") ? -Infinity : Infinity;
}

// What to do about a cell that should be a number.
export function numberHint(cell) {
  if (/^[+-]?\d{1,3}([,_ '.]\d{3})+/.test(cell)) return "write numbers without separators of thousands";
  if (/^[+-]?\d*,\d+$/.test(cell)) return "write all numbers of the column with a decimal point, or all with a comma";
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
