// Excel workbooks: the first sheet that holds a table, as text with tabs between the cells, which the page reads on.

import { Refusal } from "./table_text.js";

const [ZIP, DIRECTORY_END, ENTRY] = [0x04034b50, 0x06054b50, 0x02014b50]; // the signatures of a zip archive
const LONGEST_END = 65_557; // bytes of the end of the directory, with the longest comment
const MOST_UNPACKED = 4e8; // bytes of all parts; the text of a longer one does not fit
const [MOST_RATIO, HARMLESS] = [100, 1e7]; // of unpacked to packed bytes, and how many are unpacked in any case
const INSTEAD = "save the sheet as CSV, or copy its columns and paste them here.";

// The file itself, or the table of a workbook as text; and which sheet it is.
export async function withoutWorkbook(file, title) {
  const first = new DataView(await file.slice(0, 4).arrayBuffer());
  if (first.byteLength < 4 || first.getUint32(0, true) !== ZIP) return { file, sheet: "" };
  try {
    return await readSheet(new Archive(file, await directoryOf(file), title), title);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${title} cannot be read as an Excel workbook: ${INSTEAD}`);
  }
}

async function readSheet(archive, title) {
  const relations = new Map([...elements(await archive.text("xl/_rels/workbook.xml.rels"), "Relationship")].map(({ of }) => [of("Id"), of]));
  const pathOf = (of) => (of("Target").startsWith("/") ? of("Target").slice(1) : `xl/${of("Target")}`);
  const strings = [...relations.values()].find((of) => of("Type").endsWith("/sharedStrings"));
  const texts = strings ? textsOf(await archive.text(pathOf(strings))) : [];
  const sheets = [...elements(await archive.text("xl/workbook.xml"), "sheet")];
  for (const { of } of sheets) {
    const rows = rowsOf(await archive.text(pathOf(relations.get(of("r:id") || of("id")))), texts);
    if (!rows.length) continue;
    const sheet = sheets.length > 1 ? `Sheet '${unescaped(of("name"))}' was read; the workbook has ${sheets.length}.` : "The workbook was read.";
    return { file: new Blob([asText(rows)]), sheet };
  }
  throw new Refusal(`${title} has no cells: choose a workbook with a header and rows.`);
}

// ---- the archive

async function directoryOf(file) {
  const start = Math.max(0, file.size - LONGEST_END);
  const end = new DataView(await file.slice(start).arrayBuffer());
  let at = end.byteLength - 22;
  while (at >= 0 && end.getUint32(at, true) !== DIRECTORY_END) at -= 1;
  const [size, offset] = [end.getUint32(at + 12, true), end.getUint32(at + 16, true)]; // which fails where there is none
  const directory = new DataView(await file.slice(offset, offset + size).arrayBuffer());
  const parts = new Map();
  for (let i = 0; i < directory.byteLength && directory.getUint32(i, true) === ENTRY; ) {
    const [name, extra, comment] = [28, 30, 32].map((place) => directory.getUint16(i + place, true));
    const path = new TextDecoder().decode(new Uint8Array(directory.buffer, i + 46, name));
    const [packed, unpacked, start] = [20, 24, 42].map((place) => directory.getUint32(i + place, true));
    parts.set(path, { method: directory.getUint16(i + 10, true), packed, unpacked, start });
    i += 46 + name + extra + comment;
  }
  return parts;
}

class Archive {
  constructor(file, parts, title) {
    Object.assign(this, { file, parts });
    const sum = (name) => [...parts.values()].reduce((total, part) => total + part[name], 0);
    const [packed, unpacked] = [sum("packed"), sum("unpacked")];
    if (unpacked > MOST_UNPACKED || (unpacked > HARMLESS && unpacked > MOST_RATIO * packed)) {
      throw new Refusal(`${title} would unpack to ${unpacked.toLocaleString("en")} bytes, which is too much for this page: ${INSTEAD}`);
    }
  }

  // What an archive says of the size of a part may be false, so that no more is unpacked than it says.
  async text(path) {
    const { method, packed, unpacked, start } = this.parts.get(path);
    const head = new DataView(await this.file.slice(start, start + 30).arrayBuffer());
    const begin = start + 30 + head.getUint16(26, true) + head.getUint16(28, true);
    const content = this.file.slice(begin, begin + packed).stream();
    const reader = (method === 0 ? content : content.pipeThrough(new DecompressionStream("deflate-raw"))).getReader();
    const decoder = new TextDecoder();
    const pieces = [];
    for (let read = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) return pieces.join("") + decoder.decode();
      read += value.length;
      if (read > unpacked) throw new Error("larger than it says");
      pieces.push(decoder.decode(value, { stream: true }));
    }
  }
}

// ---- the sheet

// The elements of a name, without those inside: attributes by name, and the content.
function* elements(xml, name) {
  const pattern = known(`<(?:\\w+:)?${name}(\\s[^>]*?)?(?:/>|>([\\s\\S]*?)</(?:\\w+:)?${name}>)`, "g");
  for (const [, attributes = "", content = ""] of xml.matchAll(pattern)) {
    yield { of: (key) => unescaped(known(`\\s${key}\\s*=\\s*["']([^"']*)["']`).exec(attributes)?.[1] ?? ""), content };
  }
}

const patterns = new Map(); // by their source: a sheet asks for the same few millions of times

function known(source, flags = "") {
  if (!patterns.has(source)) patterns.set(source, new RegExp(source, flags));
  return patterns.get(source);
}

const textsOf = (xml) => [...elements(xml, "si")].map(({ content }) => textIn(content));

function textIn(content) {
  const spoken = content.replace(/<(?:\w+:)?rPh[\s>][\s\S]*?<\/(?:\w+:)?rPh>/g, ""); // how to pronounce it
  return [...elements(spoken, "t")].map((text) => unescaped(text.content)).join("");
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text) {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));/g, (whole, hex, decimal, name) =>
    name ? (ENTITIES[name] ?? whole) : String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal)),
  );
}

// The rows that are not empty, without columns that are.
function rowsOf(xml, texts) {
  const rows = [];
  const used = new Set();
  for (const row of elements(xml, "row")) {
    const cells = [];
    for (const { of, content } of elements(row.content, "c")) {
      const letters = /^[A-Z]+/.exec(of("r"))?.[0] ?? "";
      const column = letters ? [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1 : cells.length;
      const text = cellText(of("t"), content, texts);
      if (text === "") continue;
      cells[column] = text;
      used.add(column);
    }
    if (cells.length) rows.push(cells);
  }
  const columns = [...used].sort((a, b) => a - b);
  return rows.map((cells) => columns.map((column) => cells[column] ?? ""));
}

function cellText(type, content, texts) {
  if (type === "inlineStr") return textIn(content);
  const [value] = elements(content, "v");
  if (!value) return "";
  if (type === "s") return texts[Number(value.content)];
  if (type === "b") return value.content === "1" ? "true" : "false";
  return type === "" || type === "n" ? String(Number(value.content)) : unescaped(value.content);
}

function asText(rows) {
  const spelled = (text) => (/[\s,;|"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((cells) => cells.map(spelled).join("\t")).join("\n") + "\n";
}
