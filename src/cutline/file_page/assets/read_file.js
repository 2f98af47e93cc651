// Reading a file as a stream of text, so that a large one never stands in memory as a whole.

import { Refusal } from "./table_text.js";

const HEAD = 1 << 18; // bytes that are looked at before anything is read
const LONGEST_HEADER = 1 << 22;
const NULS = 4096;

// The encoding of a file, from its first bytes; or a refusal of what is no text.
export function encodingOf(bytes, title) {
  const [a, b] = bytes;
  if (bytes.length === 0) throw new Refusal(`${title} is empty: choose a file with a header and rows.`);
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  if (a === 0x1f && b === 0x8b) throw new Refusal(`${title} is a gzip file: unpack it first.`);
  if (bytes.subarray(0, NULS).includes(0)) throw new Refusal(`${title} is a binary file, because it holds NUL bytes: choose a CSV file.`);
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return "utf-8";
  } catch {
    return "windows-1252"; // what spreadsheets in Western Europe save
  }
}

// The first lines of a file as text, the whole header among them.
export async function headOf(file, title) {
  for (let size = HEAD; ; size *= 4) {
    const bytes = new Uint8Array(await file.slice(0, size).arrayBuffer());
    const encoding = encodingOf(bytes, title);
    const isWhole = file.size <= size;
    const text = new TextDecoder(encoding).decode(bytes, { stream: !isWhole });
    if (isWhole || size >= LONGEST_HEADER || /[\r\n]/.test(text.trimStart())) return { text, encoding, isWhole };
  }
}

// Hands the text of a file on in pieces, and says how many bytes were read.
export async function eachPiece(file, encoding, title, take, tellProgress) {
  const decoder = new TextDecoder(encoding, { fatal: encoding === "utf-8" });
  const reader = file.stream().getReader();
  for (let read = 0; ; ) {
    const { done, value } = await reader.read();
    try {
      take(done ? decoder.decode() : decoder.decode(value, { stream: true }), done);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new Refusal(`${title} is not UTF-8 text, though its beginning is: save it in UTF-8.`);
    }
    if (done) return;
    read += value.length;
    tellProgress(read / file.size);
  }
}
