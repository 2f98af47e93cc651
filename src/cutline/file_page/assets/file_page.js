// The page: a file or pasted columns in, the choice of columns, and everything that follows from their ranking.

import { AllCuts } from "./all_cuts.js";
import { plainPositive, quotedName } from "./cells.js";
import { drawChart, forgetMarks } from "./chart_drawing.js";
import { copy, download, tell } from "./files.js";
import { counted, percent, shown } from "./format.js";
import { LiveCut } from "./live.js";
import { run } from "./program.js";
import { Promises } from "./promises.js";
import { startTheme, unpack } from "./shell.js";
import { asCsv, gainsRows, showGains, showMeasures, tableOf } from "./show_numbers.js";

const $ = (id) => document.getElementById(id);
const CHOICES = ["label", "score", "weight", "direction", "percentages", "drop"];
const LONG_FOR_PROMISES = 300_000; // cases of a class, beyond which the levels of promises take minutes

// The cut of this page: its intervals are always computed here.
class FileCut extends LiveCut {
  isOpening() {
    return false;
  }

  showMeasures() {
    super.showMeasures();
    $("moved").hidden = true;
  }

  // Another ranking takes the place of the old one.
  replace(model) {
    this.models = [model];
    this.cuts = [model.opening()];
    this.cheap = new Map();
    this.show();
  }
}

class FilePromises extends Promises {
  show() {
    if (this.levels) super.show();
  }

  replace(levels) {
    this.data.promises.models = [levels];
    this.known = new Map();
    this.found = null;
    this.clear();
  }
}

class FilePage {
  constructor(data, workerText) {
    this.data = data;
    this.workerText = workerText;
    this.waiting = new Map();
    this.tasks = 0;
    this.turn = 0; // counts what was asked for: an answer to an older question is dropped
    this.data.promises.models = [null];
  }

  start() {
    this.startWorker();
    $("file").addEventListener("click", () => ($("file").value = "")); // so that the same file can be chosen again
    $("file").addEventListener("change", () => $("file").files[0] && this.open($("file").files[0], $("file").files[0].name));
    $("paste-go").addEventListener("click", () => this.paste());
    for (const name of Object.keys(this.data.examples)) $(`example-${name}`).addEventListener("click", () => this.example(name));
    for (const name of CHOICES) $(name).addEventListener("change", () => this.read());
    $("positive").addEventListener("change", () => this.evaluate());
    $("csv").addEventListener("click", () => download("cutline.csv", "text/csv", asCsv(tableOf(this.evaluated, this.live))));
    $("copy").addEventListener("click", async () => {
      const text = tableOf(this.evaluated, this.live).map((row) => row.join("\t")).join("\n");
      tell((await copy(text)) ? "Copied." : "Copying is not allowed here: save the CSV file.");
    });
    this.startDropping();
    document.documentElement.dataset.ready = "true";
  }

  startDropping() {
    const isFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    window.addEventListener("dragover", (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      $("drop-zone").classList.add("over");
    });
    window.addEventListener("dragleave", () => $("drop-zone").classList.remove("over"));
    window.addEventListener("drop", (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      $("drop-zone").classList.remove("over");
      const [file] = event.dataTransfer.files;
      if (file) this.open(file, file.name);
    });
  }

  // ---- the worker

  startWorker() {
    this.worker?.terminate();
    this.waiting.clear();
    const address = URL.createObjectURL(new Blob([this.workerText], { type: "text/javascript" }));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.onmessage = ({ data: answer }) => {
      if ("progress" in answer) return this.showProgress(answer.progress);
      const settle = this.waiting.get(answer.id);
      this.waiting.delete(answer.id);
      settle?.(answer);
    };
    this.worker.onerror = () => this.refuse("The file could not be read: it may be too large for this browser.");
    const { ranking, reliability, words, promises, level } = this.data;
    this.ask("start", { programs: { ranking, reliability, words, level, promises: { words: promises.words } } });
  }

  ask(name, task) {
    const id = ++this.tasks;
    this.worker.postMessage({ ...task, id, name });
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }

  // The result of a task; null where it was refused, which is said, or where something newer was asked for.
  async result(name, task, turn) {
    const answer = await this.ask(name, task);
    if (turn !== this.turn) return null;
    this.showProgress(null);
    if (answer.refusal) {
      this.refuse(answer.refusal);
      if (answer.offersToDrop) $("drop-choice").hidden = false;
      return null;
    }
    return answer.result;
  }

  // ---- from a file to its columns

  paste() {
    const text = $("paste").value;
    if (text.trim() === "") return this.refuse("Nothing is pasted: copy the columns with their names from a spreadsheet, and paste them into the box.");
    return this.open(new Blob([text]), "The pasted table");
  }

  example(name) {
    const { text, title, ...choice } = this.data.examples[name];
    return this.open(new Blob([text]), title, choice);
  }

  async open(file, title, choice = {}) {
    const turn = ++this.turn;
    this.hideResult();
    $("columns").hidden = true;
    this.refuse("");
    if (this.waiting.size) this.startWorker(); // what it still works on is of no use any more
    this.title = title;
    this.showProgress(0);
    const table = await this.result("look", { file, title }, turn);
    if (!table) return;
    this.table = table;
    this.showColumns({ ...table.guess, ...choice });
    await this.read(choice.positive);
  }

  showColumns({ label, score }) {
    const { columns, layout, rows } = this.table;
    const options = (names, first) => [new Option(first, ""), ...names.map((name) => new Option(name, name))];
    for (const [id, first, chosen] of [["label", "Choose a column", label], ["score", "Choose a column", score], ["weight", "Each case counts once", null]]) {
      $(id).replaceChildren(...options(columns.map(({ name }) => name), first));
      $(id).value = chosen ?? "";
    }
    $("direction").value = "higher";
    $("percentages").checked = $("drop").checked = false;
    $("percent-choice").hidden = $("drop-choice").hidden = true;
    $("file-name").textContent = this.title;
    $("preview-head").replaceChildren(...layout.names.slice(0, 12).map((name) => cell("th", name)));
    $("preview-rows").replaceChildren(...rows.map((row) => {
      const line = document.createElement("tr");
      line.append(...row.slice(0, 12).map((text) => cell("td", text)));
      return line;
    }));
    $("columns").hidden = false;
    $("h-columns").focus({ preventScroll: true });
    $("columns").scrollIntoView({ block: "nearest" });
  }

  // How the file was read, in sentences.
  readingNotes() {
    const { layout, columns } = this.table;
    const score = columns.find(({ name }) => name === $("score").value);
    const separators = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars" };
    const notes = layout.sheet ? [layout.sheet] : layout.names.length > 1 ? [`Columns are separated by ${separators[layout.delimiter]}.`] : [];
    if (!layout.hasHeader) notes.push("The first row holds numbers, so it is read as a case, and the columns are numbered.");
    if (layout.encoding === "windows-1252") notes.push("The file is not UTF-8, so it was read as Windows-1252: check names with accents.");
    if (score?.spelling) notes.push(score.spelling.note);
    return notes;
  }

  // ---- from columns to cases

  async read(positive = null) {
    const [label, score, weight] = ["label", "score", "weight"].map((id) => $(id).value);
    const turn = ++this.turn;
    this.hideResult();
    this.refuse("");
    $("reading").textContent = this.readingNotes().join(" ");
    $("positive-choice").hidden = true;
    if (!label || !score) {
      const missing = !label && !score ? "the label and the score" : label ? "the score" : "the label";
      $("question").textContent = `Which column holds ${missing}? Choose above.`;
      return;
    }
    $("question").textContent = "";
    const twice = label === score ? "label and score" : weight && weight === label ? "label and weight" : weight === score ? "score and weight" : "";
    if (twice) return this.refuse(`The column ${quotedName(weight === score ? score : label)} is chosen for ${twice}: choose another column for one of them.`);
    const column = (name) => ({ name, spelling: this.table.columns.find((one) => one.name === name).spelling?.place });
    const isPercentage = $("percentages").checked;
    const chosen = { label, score: { ...column(score), isPercentage }, weight: weight ? column(weight) : null, dropMissing: $("drop").checked };
    this.showProgress(0);
    const cases = await this.result("read", { chosen }, turn);
    if (!cases) return;
    this.cases = cases;
    const [low, high] = cases.range;
    $("percent-choice").hidden = !(isPercentage || (low >= 0 && high > 1 && high <= 100));
    this.showClasses(positive);
    await this.evaluate();
  }

  showClasses(positive) {
    const names = [...this.cases.counts.keys()].sort();
    const known = positive ?? plainPositive(names);
    const options = names.map((name) => new Option(`${name} (${counted(this.cases.counts.get(name))} cases)`, name));
    $("positive").replaceChildren(...(known === null ? [new Option("Choose the class", "")] : []), ...options);
    $("positive").value = names.includes(known) ? known : "";
    $("positive-choice").hidden = false;
  }

  // ---- from cases to everything else

  async evaluate() {
    const turn = ++this.turn;
    this.hideResult();
    this.refuse("");
    const positive = $("positive").value;
    const names = [...this.cases.counts.keys()];
    if (names.length === 1) {
      const which = positive && plainPositive(names) === names[0] ? " are positive" : ` have the label ${quotedName(names[0])}`;
      return this.refuse(`All ${counted(this.cases.counts.get(names[0]))} cases${which}: choose a file with cases of both classes.`);
    }
    if (!positive) {
      $("question").textContent = "Which class is positive, that is, the one to be found? Choose above.";
      return;
    }
    $("question").textContent = "";
    $("working").textContent = "Ranking the cases and computing the measures …";
    const higher = $("direction").value === "higher";
    const evaluated = await this.result("evaluate", { positive, higher }, turn);
    $("working").textContent = "";
    if (!evaluated) return;
    this.evaluated = evaluated;
    this.positive = positive;
    this.negative = names.find((name) => name !== positive);
    this.showResult();
    await this.promise(turn);
  }

  showResult() {
    const { evaluated, data } = this;
    const model = new AllCuts(evaluated.model);
    this.showTitles(model);
    showMeasures(evaluated.measures, data.methods);
    $("result").hidden = false;
    this.showCharts(model);
    if (this.live) this.live.replace(model);
    else {
      this.live = new FileCut(data, [model]);
      this.live.start();
    }
    showGains($("gains-rows"), gainsRows(model, this.live.measures));
    this.showHeadline(model);
    document.documentElement.dataset.evaluated = String(Number(document.documentElement.dataset.evaluated ?? 0) + 1);
    $("h-result").focus({ preventScroll: true });
    $("result").scrollIntoView({ block: "start" });
  }

  showTitles(model) {
    const isUsual = this.positive === "1" && ["0", "-1"].includes(this.negative);
    $("class-positive").textContent = isUsual ? "positive" : `${this.positive} (positive)`;
    $("class-negative").textContent = isUsual ? "negative" : `${this.negative} (negative)`;
    $("direction-word").textContent = model.higher ? "least" : "most";
    for (const id of ["end-none", "end-all"]) $(id).hidden = false;
  }

  showHeadline(model) {
    const value = (name) => this.evaluated.measures.find((one) => one.name === name);
    const auc = value("auc");
    const dropped = this.cases.dropped ? ` ${counted(this.cases.dropped)} rows with missing values were left out.` : "";
    const kind = model.is_risk ? "" : " The scores do not lie between 0 and 1, so they are not read as probabilities.";
    $("summary").textContent =
      `${this.title}: ${counted(model.total)} cases${model.integral ? "" : " by weight"}, ${counted(model.positives)} of them ${quotedName(this.positive)} (${percent(model.positives / model.total)}), ` +
      `${counted(model.last)} distinct scores.${dropped}${kind}`;
    $("headline").textContent =
      `A random positive case gets a higher rank than a random negative one in ${percent(auc.value)} of pairs ` +
      `(AUC ${shown(auc.value)}, ${percent(this.data.level)} interval ${shown(auc.low)} to ${shown(auc.high)}; 0.5 is no better than chance).` +
      (auc.value < 0.5 ? " That is below 0.5: the order may be reversed. If low scores mean positive, choose so above." : "");
  }

  showCharts(model) {
    $("few").hidden = !this.evaluated.restsOn;
    $("few").textContent = `${this.evaluated.restsOn} So few can be a matter of chance: look at more cases before you decide.`;
    forgetMarks();
    const { curves, reliability } = this.evaluated;
    const share = model.positives / model.total;
    const auc = this.evaluated.measures.find(({ name }) => name === "auc").value;
    drawChart($("chart-roc"), {
      label: `ROC curve, area ${shown(auc)}`, x: "False positive rate", y: "Recall",
      lines: [curves.roc], reference: [[0, 0], [1, 1]], mark: ["fpr", "recall"],
    });
    drawChart($("chart-precision-recall"), {
      label: "Precision-recall curve", x: "Recall", y: "Precision",
      lines: [curves.precision_recall], reference: [[0, share], [1, share]], mark: ["recall", "precision"],
    });
    $("reliability-figure").hidden = reliability === null;
    if (reliability === null) return;
    const { steps, results } = this.data.program.intervals.share;
    const dots = reliability.map(({ n, k, x, y }) => {
      const values = run(steps, { k, n });
      const [low, high] = model.integral ? results.map((place) => values[place]) : [y, y];
      return { x, y, low, high };
    });
    drawChart($("chart-reliability"), {
      label: "Reliability diagram: share of positives against mean probability, in ten bins",
      x: "Mean probability", y: "Share of positives", lines: [dots.map(({ x, y }) => [x, y])], dots, reference: [[0, 0], [1, 1]],
    });
  }

  // What can be promised takes longer than all else, so it comes last.
  async promise(turn) {
    const { positives, negatives, are_weighted: areWeighted } = this.live.model;
    this.data.promises.models = [null];
    $("promise-body").hidden = true;
    const words = this.data.promises.words;
    const isLong = Math.max(positives, negatives) > LONG_FOR_PROMISES;
    const reason = areWeighted ? words.weighted : isLong ? words.too_long : "";
    $("promise-waiting").textContent = reason || "Working out what can be promised …";
    $("promise-waiting").hidden = false;
    document.documentElement.dataset.promised = "";
    if (reason) return;
    const levels = await this.result("promise", { positives, negatives, positive: this.positive }, turn);
    if (!levels) return;
    this.promises ??= this.startPromises(levels);
    this.promises.replace(levels);
    $("promise-waiting").hidden = true;
    $("promise-body").hidden = false;
    $("promise-searched").hidden = !this.live.model.isLong;
    document.documentElement.dataset.promised = "true";
  }

  startPromises(levels) {
    this.data.promises.models = [levels];
    const promises = new FilePromises(this.data, this.live);
    promises.start();
    return promises;
  }

  // ---- what is said

  hideResult() {
    $("result").hidden = true;
    this.data.promises.models = [null];
  }

  refuse(sentence) {
    $("file-refusal").textContent = sentence;
    if (sentence) this.showProgress(null);
    if (sentence) $("working").textContent = "";
  }

  showProgress(share) {
    $("progress").hidden = share === null;
    if (share === null) return;
    $("progress-bar").value = share;
    $("progress-words").textContent = `Reading: ${Math.round(100 * share)} %`;
  }
}

function cell(kind, text) {
  const element = document.createElement(kind);
  if (kind === "th") element.scope = "col";
  element.textContent = text.length > 40 ? `${text.slice(0, 39)}…` : text;
  return element;
}

async function startFilePage() {
  startTheme();
  const page = new FilePage(await unpack($("data").textContent), $("worker").textContent);
  page.start();
  window.cutline = { page };
}

startFilePage();
