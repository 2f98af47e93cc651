// The columns of a file: what they are called, which can only be the label and the score, and their cells.

import { labelNames, numberHint, NumberReader, quotedName } from "./cells.js";
import { eachPiece, headOf } from "./read_file.js";
import { delimiterOf, firstRows, lineEndOf, MOST_COLUMNS, Refusal, RowSplitter } from "./table_text.js";

const SAMPLED = 2000; // rows that are looked at to guess what a column holds
const SHOWN = 5;
const MOST_LABELS = 1000; // more distinct texts than this are no labels

// What can be told of a file before it is read: its columns, with what the first rows hold.
export async function lookAt(file, title, words) {
  const { text, encoding, isWhole } = await headOf(file, title);
  const body = text.replace(/^(?:[^\S\r\n]*(?:\r\n|\n|\r))+/, ""); // without blank lines before the header
  if (body.trim() === "") throw new Refusal(`${title} has no header: choose a file with a header and rows.`);
  const delimiter = delimiterOf(body, isWhole);
  const rows = firstRows(body, delimiter, isWhole, SAMPLED + 1);
  if (!rows.length) throw new Refusal(`${title} has a first row that does not end: check its quotes.`);
  const numbers = new NumberReader(words);
  const hasHeader = !rows[0].some((cell) => numbers.isNumber(cell.trim())); // names are no numbers
  const names = hasHeader ? rows[0].map((name) => name.trim()) : rows[0].map((_, i) => `column ${i + 1}`);
  if (names.length > MOST_COLUMNS) {
    throw new Refusal(`${title} has ${names.length.toLocaleString("en")} columns, of which this page reads ${MOST_COLUMNS.toLocaleString("en")}: leave columns out.`);
  }
  const seen = new Set();
  const twice = [...new Set(names.filter((name) => seen.size === seen.add(name).size))];
  if (twice.length) throw new Refusal(`${title} has several columns called ${twice.slice(0, 4).map(quotedName).join(", ")}: give each its own name.`);
  const sample = rows.slice(hasHeader ? 1 : 0);
  if (!sample.length) throw new Refusal(`${title} has columns but no rows: choose a file with at least one case.`);
  const layout = { delimiter, encoding, hasHeader, names, lineEnd: lineEndOf(body) };
  const columns = names.map((name, i) => describe(name, sample.map((row) => row[i] ?? ""), words.missing, numbers));
  return { layout, columns, guess: guessColumns(columns, words), rows: sample.slice(0, SHOWN) };
}

function describe(name, cells, missing, numbers) {
  const known = cells.map((cell) => cell.trim()).filter((cell) => !missing.includes(cell));
  const spelling = numbers.spellingOf(name, known);
  const read = numbers.reader(spelling?.place, false);
  return {
    name,
    spelling,
    isNumber: known.length > 0 && known.every((cell) => !Number.isNaN(read(cell))),
    hasTwoValues: new Set(labelNames([...new Set(known)])).size === 2,
  };
}

// The columns of the label and of the score, where only one can be meant, as the command line guesses them.
function guessColumns(columns, { labels, scores }) {
  const called = (some, usual) => some.filter(({ name }) => usual.includes(name.trim().toLowerCase()));
  const only = (some) => (some.length === 1 ? some[0] : null);
  const candidates = called(columns, labels).length ? called(columns, labels) : columns.filter((one) => !called(columns, scores).includes(one));
  const label = only(candidates) ?? only(candidates.length <= 8 ? candidates.filter((one) => one.hasTwoValues) : []);
  const free = columns.filter((one) => one !== label);
  const score = only(called(free, scores)) ?? only(free) ?? only(free.filter((one) => one.isNumber));
  return { label: label?.name ?? null, score: score?.name ?? null };
}

// The cells of the columns that were chosen, of all rows. Labels are codes for their texts.
export async function readColumns(file, title, layout, chosen, words, tellProgress) {
  const cases = new Cases(title, layout, chosen, words);
  const splitter = new RowSplitter(layout.delimiter, layout.lineEnd, title, (fields, line) => cases.take(fields, line));
  await eachPiece(file, layout.encoding, title, (piece, isLast) => splitter.add(piece, isLast), tellProgress);
  return cases.finish();
}

class Cases {
  constructor(title, layout, chosen, words) {
    const numbers = new NumberReader(words);
    const place = (name) => layout.names.indexOf(name);
    const reader = (column) =>
      column && { place: place(column.name), name: column.name, read: numbers.reader(column.spelling, column.isPercentage) };
    Object.assign(this, {
      title, layout, chosen,
      label: place(chosen.label),
      score: reader(chosen.score),
      weight: reader(chosen.weight),
      missing: new Set(words.missing),
      isHeader: layout.hasHeader,
      codes: new Map(),
      rows: 0, // below the header
      kept: 0,
      lacking: { label: null, score: null, weight: null },
    });
    this.room(1 << 12);
  }

  room(most) {
    const grown = (old, Kind) => {
      const made = new Kind(most);
      if (old) made.set(old);
      return made;
    };
    this.labels = grown(this.labels, Uint16Array);
    this.scores = grown(this.scores, Float64Array);
    if (this.weight) this.weights = grown(this.weights, Float64Array);
  }

  take(fields, line) {
    if (this.isHeader) {
      this.isHeader = false;
      return;
    }
    if (fields.length !== this.layout.names.length) {
      const many = `${fields.length} field${fields.length === 1 ? "" : "s"}`;
      throw new Refusal(`${this.title} has ${many} in line ${line} but ${this.layout.names.length} in its ${this.layout.hasHeader ? "header" : "first row"}: make all rows of equal length.`);
    }
    this.rows += 1;
    const text = fields[this.label].trim();
    const isLabelled = !this.missing.has(text);
    if (!isLabelled) this.lack("label");
    const score = this.number(fields, this.score, "score");
    const weight = this.weight ? this.number(fields, this.weight, "weight") : 1;
    if (!isLabelled || Number.isNaN(score) || Number.isNaN(weight)) return;
    if (this.kept === this.scores.length) this.room(2 * this.kept);
    this.labels[this.kept] = this.code(text);
    this.scores[this.kept] = score;
    if (this.weight) this.weights[this.kept] = this.checkedWeight(weight);
    this.kept += 1;
  }

  // The number in a cell; NaN where it is missing, which is noted.
  number(fields, column, role) {
    const text = fields[column.place].trim();
    if (this.missing.has(text)) {
      this.lack(role);
      return NaN;
    }
    const value = column.read(text);
    if (Number.isNaN(value)) {
      throw new Refusal(`${role === "score" ? "The score" : "The weight"} (column ${quotedName(column.name)}) holds text, ${quotedName(text)}, in row ${this.rows}${this.below}: ${numberHint(text)}.`);
    }
    return value;
  }

  get below() {
    return this.layout.hasHeader ? " below the header" : "";
  }

  lack(role) {
    this.lacking[role] ??= { first: this.rows, count: 0 };
    this.lacking[role].count += 1;
  }

  code(text) {
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    if (this.codes.size === MOST_LABELS) {
      throw new Refusal(`The label (column ${quotedName(this.chosen.label)}) holds more than ${MOST_LABELS} different values: choose a column with two classes.`);
    }
    const copy = ` ${text}`.slice(1); // its own letters, so that the piece of the file can be let go
    this.codes.set(copy, this.codes.size);
    return this.codes.size - 1;
  }

  checkedWeight(weight) {
    if (weight >= 0 && weight < Infinity) return weight;
    throw new Refusal(`The weight (column ${quotedName(this.weight.name)}) is ${weight} in row ${this.rows}${this.below}: choose weights of zero or more.`);
  }

  finish() {
    if (this.rows === 0) throw new Refusal(`${this.title} has columns but no rows: choose a file with at least one case.`);
    if (this.kept === 0) throw new Refusal(`Nothing can be ranked, because every row has a missing label, score or weight: choose other columns.`);
    if (!this.chosen.dropMissing) this.refuseMissing();
    const texts = [...this.codes.keys()];
    const names = labelNames(texts);
    const counts = new Map();
    const perCode = new Float64Array(texts.length);
    for (let i = 0; i < this.kept; i++) perCode[this.labels[i]] += 1;
    names.forEach((name, code) => counts.set(name, (counts.get(name) ?? 0) + perCode[code]));
    if (counts.size > 2) {
      const shown = [...counts.keys()].sort().slice(0, 4).map(quotedName).join(", ") + (counts.size > 4 ? ", ..." : "");
      throw new Refusal(`The label (column ${quotedName(this.chosen.label)}) holds ${counts.size} different values, ${shown}: choose a column with two classes.`);
    }
    const cut = (column) => column?.subarray(0, this.kept) ?? null;
    return { labels: cut(this.labels), scores: cut(this.scores), weights: cut(this.weights), names, counts, dropped: this.rows - this.kept };
  }

  refuseMissing() {
    for (const [role, found] of Object.entries(this.lacking)) {
      if (!found) continue;
      const column = role === "label" ? this.chosen.label : this[role].name;
      const many = `${found.count.toLocaleString("en")} missing value${found.count === 1 ? "" : "s"}`;
      const refusal = new Refusal(`The ${role} (column ${quotedName(column)}) holds ${many}, the first in row ${found.first}${this.below}: fill them, or leave out rows with missing values.`);
      throw Object.assign(refusal, { offersToDrop: true });
    }
  }
}
