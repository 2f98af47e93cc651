// The numbers to take away: copied as a table, or downloaded as CSV or JSON.

export function startNumbers(data, live) {
  const on = (id, action) => document.getElementById(id).addEventListener("click", action);
  on("copy", async () => tell((await copy(table(data, live).map((row) => row.join("\t")).join("\n"))) ? "Copied." : "Copying is not allowed here: download the CSV file."));
  on("csv", () => download("cutline.csv", "text/csv", table(data, live).map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n"));
  on("json", () => download("cutline.json", "application/json", JSON.stringify(document_(data, live), null, 2)));
}

const COLUMNS = ["model", "measure", "value", "low", "high", "method", "by chance", "cut"];

// The measures of the live cut, then all others as they were computed.
export function table(data, live) {
  const names = new Set(data.measures.map((entry) => entry.name));
  const number = (value) => (value === null || Number.isNaN(value) ? "" : String(value));
  const cut = live.models.flatMap((model, i) =>
    live.estimates(i).map((found) => [
      model.name, found.name, number(found.value), number(found.low), number(found.high), found.method, number(found.chance),
      String(live.cuts[i].threshold),
    ]));
  const others = data.rows.filter((row) => !names.has(row.measure)).map((row) => [
    row.model ?? data.models[0].name, row.measure, number(row.value), number(row.low), number(row.high), row.method, number(row["baseline"]), "",
  ]);
  return [COLUMNS, ...cut, ...others];
}

function document_(data, live) {
  const cuts = live.models.map((model, i) => {
    const { tp, fp, fn, tn, threshold } = live.cuts[i];
    return { model: model.name, threshold: Number.isFinite(threshold) ? threshold : null, tp, fp, fn, tn, measures: live.estimates(i) };
  });
  return { ...data.document, cuts };
}

// Text that a spreadsheet would take for a formula is quoted out of its way.
function quoted(text) {
  const safe = /^[=+@]|^-[^\d.I]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function download(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  tell(`${name} was saved.`);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function tell(message) {
  document.getElementById("told").textContent = message;
}
