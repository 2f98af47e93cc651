// Text as a table: which sign separates the columns, where rows end, and what is wrong with a row.

const DELIMITERS = [",", ";", "\t", "|"]; // in the order in which they are believed
const LINES_TRIED = 20;
const LONGEST_ROW = 2_000_000; // characters
export const MOST_COLUMNS = 50_000;

export class Refusal extends Error {} // its message is a sentence for the reader

// Hands each complete row to `take(fields, line)`. Text comes in pieces, which may end anywhere.
export class RowSplitter {
  constructor(delimiter, lineEnd, title, take) {
    Object.assign(this, { delimiter, lineEnd, title, take, rest: "", line: 1 });
  }

  add(piece, isLast = false) {
    const text = this.rest + piece;
    let start = 0;
    let quote = text.indexOf('"');
    while (start < text.length) {
      let end = text.indexOf(this.lineEnd, start);
      if (quote >= 0 && quote < start) quote = text.indexOf('"', start);
      const isQuoted = quote >= 0 && (end < 0 || quote < end);
      if (isQuoted) end = this.endOfQuoted(text, start, end);
      if (end < 0 || end === undefined) {
        if (!isLast) break;
        if (end === undefined) throw this.refuse(`has a quote in line ${this.line} that does not end: close it, or double it inside the text.`);
        end = text.length;
      }
      this.row(text, start, end, isQuoted);
      start = end + 1;
    }
    this.rest = start < text.length ? text.slice(start) : "";
    if (this.rest.length > LONGEST_ROW) throw this.refuse(`has a row in line ${this.line} of more than 2 million characters: close its quotes, or leave long columns out.`);
  }

  refuse(what) {
    return new Refusal(`${this.title} ${what}`);
  }

  // Where a row ends whose quotes may hold line ends; -1 where it ends with the text, undefined where a quote is open.
  endOfQuoted(text, start, first) {
    let [end, from, isOpen] = [first, start, false];
    for (;;) {
      const to = end < 0 ? text.length : end;
      for (let at = text.indexOf('"', from); at >= 0 && at < to; at = text.indexOf('"', at + 1)) isOpen = !isOpen;
      if (!isOpen) return end;
      if (end < 0) return undefined;
      from = end + 1;
      end = text.indexOf(this.lineEnd, from);
    }
  }

  row(text, start, end, isQuoted) {
    const last = this.lineEnd === "\n" && text.charCodeAt(end - 1) === 13 && end > start ? end - 1 : end; // \r\n
    const line = this.line;
    this.line += 1;
    if (isQuoted) {
      const own = text.slice(start, last);
      this.line += own.split(this.lineEnd).length - 1;
      this.take(unquoted(own, this.delimiter), line);
      return;
    }
    if (last === start) return; // a blank line is no row
    const fields = [];
    let from = start;
    for (let at = text.indexOf(this.delimiter, from); at >= 0 && at < last; at = text.indexOf(this.delimiter, from)) {
      fields.push(text.slice(from, at));
      from = at + 1;
    }
    fields.push(text.slice(from, last));
    if (fields.length === 1 && fields[0].trim() === "") return;
    this.take(fields, line);
  }
}

// The fields of a row in which some are quoted; a doubled quote inside quotes stands for one.
function unquoted(row, delimiter) {
  const fields = [];
  let [field, isInside] = ["", false];
  for (let i = 0; i < row.length; i++) {
    const letter = row[i];
    if (isInside) {
      if (letter !== '"') field += letter;
      else if (row[i + 1] === '"') (field += '"'), (i += 1);
      else isInside = false;
    } else if (letter === '"' && field.trim() === "") (field = ""), (isInside = true);
    else if (letter === delimiter) fields.push(field), (field = "");
    else field += letter;
  }
  return [...fields, field];
}

export function lineEndOf(text) {
  return text.includes("\n") || !text.includes("\r") ? "\n" : "\r";
}

// The first rows of a text, as many as are complete in it.
export function firstRows(text, delimiter, isWhole, most) {
  const rows = [];
  const splitter = new RowSplitter(delimiter, lineEndOf(text), "The file", (fields) => rows.push(fields));
  try {
    splitter.add(text, isWhole);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error; // the reader of the whole file says what is wrong
  }
  return rows.slice(0, most);
}

// The delimiter that splits the first lines into most fields, as many in each.
export function delimiterOf(text, isWhole) {
  const head = text.slice(0, 65_536);
  const scored = DELIMITERS.map((delimiter) => {
    const counts = firstRows(head, delimiter, isWhole && head.length === text.length, LINES_TRIED).map((row) => row.length);
    const isEven = counts.length > 0 && counts[0] > 1 && counts.every((count) => count === counts[0]);
    return { delimiter, score: (isEven ? 1e9 : 0) + (counts[0] ?? 0) };
  });
  return scored.reduce((best, one) => (one.score > best.score ? one : best)).delimiter;
}
