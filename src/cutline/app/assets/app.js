// The page of the app: it sends what the user chooses and shows what comes back. It computes nothing.

const $ = (id) => document.getElementById(id);
const FIELDS = ["label", "positive", "score", "second", "weight", "group", "by", "cut", "threshold", "quota", "share",
  "cost_fp", "cost_fn", "promise", "promise_value", "second_promise", "second_promise_value", "confidence"];
const SWITCHES = ["lower_is_positive", "drop_missing", "after_looking"];
const COLUMNS = ["label", "score", "second", "weight", "group", "by"];
const TITLES = { "report.html": "Report (HTML)", "numbers.json": "All numbers (JSON)", "numbers.csv": "All numbers (CSV)",
  "cut.json": "Cut (JSON)", "flagged.csv": "Flagged file (CSV)", "slices.html": "Slices (HTML)",
  "recalibration.json": "Recalibration (JSON)", "recalibrated.csv": "File with better probabilities (CSV)" };
const MADE_ON_REQUEST = /^(flagged|recalibrated)\.csv$|\.(svg|png|pdf)$/;

let tab = "";
let view = "numbers";
let choseView = false;
let waitsForFile = false; // whether the next file that is made is handed to the user at once
let autoRun = false;
let uploading = null;

// ---------------------------------------------------------------------- talking to the server

async function post(path, document) {
  const response = await fetch(path, { method: "POST", body: JSON.stringify(document ?? {}), redirect: "error" });
  const answer = await response.json().catch(() => ({ message: `The server answered ${response.status}.` }));
  if (!response.ok) throw Object.assign(new Error(answer.message ?? ""), { status: response.status });
  return answer;
}

function tell(message) {
  $("error").textContent = message ?? "";
}

async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    tell(error.message === "Failed to fetch" ? "The server does not answer. Start `cutline app` again." : error.message);
    return null;
  }
}

async function startSession() {
  const token = window.location.hash.slice(1);
  if (token) {
    window.history.replaceState(null, "", "/");
    try {
      await post("/session", { secret: token });
    } catch (error) {
      return showGate(error.message);
    }
  }
  await openTab();
}

async function openTab() {
  tab = window.sessionStorage.getItem("tab") ?? "";
  try {
    if (!tab || !(await fetch(`/tabs/${tab}`)).ok) tab = (await post("/tabs")).tab;
  } catch (error) {
    return showGate(error.status === 403 && document.documentElement.dataset.asks === "password" ? "" : error.message);
  }
  window.sessionStorage.setItem("tab", tab);
  $("gate").hidden = true;
  $("app").hidden = false;
  listen();
  document.documentElement.dataset.ready = "true";
}

function showGate(message) {
  $("gate").hidden = false;
  $("app").hidden = true;
  $("gate-form").hidden = document.documentElement.dataset.asks !== "password";
  $("gate-message").textContent = message;
}

$("gate-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await post("/session", { secret: $("password").value });
    await openTab();
  } catch (error) {
    $("gate-message").textContent = error.message;
  }
});

function listen() {
  const events = new EventSource(`/tabs/${tab}/events`);
  for (const [part, show] of Object.entries(PARTS)) {
    events.addEventListener(part, (event) => show(JSON.parse(event.data)));
  }
  events.addEventListener("open", () => {
    if ($("error").dataset.lost) tell("");
    delete $("error").dataset.lost;
  });
  events.addEventListener("error", () => {
    $("error").dataset.lost = "true";
    tell("The server does not answer. If it was stopped, start `cutline app` again; what you see here stays.");
    showJob(null);
  });
  events.addEventListener("closed", (event) => {
    if (!JSON.parse(event.data)) return;
    events.close();
    showGate("cutline has ended. This page can be closed; start `cutline app` for another file.");
  });
}

// ---------------------------------------------------------------------- the file

function upload(file) {
  if (!file) return;
  if (file.size > Number(document.documentElement.dataset.limit)) {
    tell(`The file has ${bytes(file.size)}; the limit is ${bytes(Number(document.documentElement.dataset.limit))}.`);
    return;
  }
  uploading?.abort();
  const request = new XMLHttpRequest();
  uploading = request;
  request.open("POST", `/tabs/${tab}/file?name=${encodeURIComponent(file.name)}`);
  const bar = $("upload");
  bar.hidden = false;
  bar.value = 0;
  autoRun = true;
  tell("");
  $("file-state").textContent = `Reading ${file.name}`;
  request.upload.onprogress = (event) => (bar.value = event.loaded / event.total);
  request.onload = () => {
    bar.hidden = true;
    if (request.status !== 200) {
      $("file-state").textContent = "";
      tell(messageOf(request));
    }
  };
  request.onerror = () => {
    bar.hidden = true;
    $("file-state").textContent = "";
    tell("The file could not be read.");
  };
  request.send(file);
}

function messageOf(request) {
  try {
    return JSON.parse(request.responseText).message;
  } catch {
    return request.responseText || "The file could not be read.";
  }
}

function bytes(count) {
  const units = ["bytes", "kB", "MB", "GB"];
  const power = Math.min(3, Math.floor(Math.log10(Math.max(count, 1)) / 3));
  return `${(count / 1000 ** power).toLocaleString("en", { maximumFractionDigits: power ? 1 : 0 })} ${units[power]}`;
}

$("file").addEventListener("click", () => ($("file").value = "")); // so that the same file can be chosen again
$("file").addEventListener("change", () => upload($("file").files[0]));
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    $("drop").classList.toggle("over", kind === "dragover");
    if (kind === "drop") upload(event.dataTransfer?.files[0]);
  });
}
$("example").addEventListener("click", () => {
  autoRun = true;
  return attempt(() => post(`/tabs/${tab}/example`));
});

function fill(select, values, { none = null, chosen = "" } = {}) {
  const options = none === null ? values : ["", ...values];
  select.replaceChildren(...options.map((value) => {
    const option = document.createElement("option");
    option.value = value;
    option.textContent = value === "" ? none : value;
    return option;
  }));
  select.value = options.includes(chosen) ? chosen : (options[0] ?? "");
}

// ---------------------------------------------------------------------- what the user chooses

function settings() {
  const found = {};
  for (const id of FIELDS) found[id] = $(id).value;
  for (const id of SWITCHES) found[id] = $(id).checked;
  return found;
}

function remember() {
  window.sessionStorage.setItem("settings", JSON.stringify(settings()));
}

function recall() {
  const kept = JSON.parse(window.sessionStorage.getItem("settings") ?? "{}");
  for (const id of FIELDS) {
    if (id in kept && ($(id).tagName !== "SELECT" || [...$(id).options].some((one) => one.value === kept[id]))) $(id).value = kept[id];
  }
  for (const id of SWITCHES) if (id in kept) $(id).checked = kept[id];
  showCutFields();
}

function showCutFields() {
  for (const part of document.querySelectorAll("[data-cut]")) part.hidden = part.dataset.cut !== $("cut").value;
  $("second-share").hidden = !$("second_promise").value;
}

function canRun() {
  return Boolean($("label").value && $("score").value && $("positive").value);
}

async function run(job, argument = "") {
  tell("");
  waitsForFile = job === "flag" || job === "chart" || (job === "recalibrate" && argument !== "");
  if (job === "evaluate") choseView = false;
  remember();
  await attempt(() => post(`/tabs/${tab}/run`, { job, argument, settings: settings() }));
}

$("settings").addEventListener("submit", (event) => {
  event.preventDefault();
  run("evaluate");
  if (window.matchMedia("(max-width: 900px)").matches) $("result").scrollIntoView();
});
$("settings").addEventListener("change", (event) => {
  if (event.target.id === "label") {
    fill($("positive"), [], { none: "choose" });
    if ($("label").value) run("values", $("label").value);
  }
  showCutFields();
  $("run").disabled = !canRun();
  remember();
});
$("cancel").addEventListener("click", () => attempt(() => post(`/tabs/${tab}/cancel`)));
$("close").addEventListener("click", () => attempt(() => post("/close")));
$("judge").addEventListener("click", () => run("recalibrate"));
$("recalibrate").addEventListener("click", () => run("recalibrate", $("method").value));
$("flag").addEventListener("click", () => run("flag"));
$("draw").addEventListener("click", () => run("chart", $("chart").value + $("format").value));
for (const button of document.querySelectorAll("[data-view]")) {
  button.addEventListener("click", () => {
    choseView = true;
    showView(button.dataset.view);
  });
}

// ---------------------------------------------------------------------- what the server sends

function showView(name) {
  view = name;
  for (const button of document.querySelectorAll("[data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === name));
  }
  const hasTable = !$("views").hidden;
  for (const panel of document.querySelectorAll("[data-panel]")) panel.hidden = !hasTable || panel.dataset.panel !== name;
}

function showJob(job) {
  $("job").hidden = !job;
  $("cancel").hidden = !job;
  if (!job) return;
  $("stage").textContent = job.stage;
  if (job.of) {
    $("progress").max = job.of;
    $("progress").value = job.done ?? 0;
  } else {
    $("progress").removeAttribute("value");
  }
}

function cell(tag, text, { scope = "", kind = "" } = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (scope) made.scope = scope;
  if (kind) made.className = kind;
  return made;
}

function rows(table, head, body) {
  const top = document.createElement("thead");
  const line = document.createElement("tr");
  line.append(...head.map((text, i) => cell(text || i ? "th" : "td", text, text ? { scope: "col", kind: i ? "number" : "" } : {})));
  top.append(line);
  const rest = document.createElement("tbody");
  for (const cells of body) {
    const row = document.createElement("tr");
    row.append(...cells.map((text, i) => (i ? cell("td", text, { kind: "number" }) : cell("th", text, { scope: "row" }))));
    rest.append(row);
  }
  table.querySelectorAll("thead, tbody").forEach((part) => part.remove());
  table.append(top, rest);
}

function list(target, texts) {
  target.replaceChildren(...texts.map((text) => cell("li", text)));
}

const PARTS = {
  upload(file) {
    $("file-state").textContent = file ? `${file.name}, ${bytes(file.bytes)}` : "";
    $("columns").disabled = $("cuts").disabled = true;
    $("run").disabled = true;
  },
  columns(found) {
    if (!found) return;
    fill($("label"), found.columns, { none: "choose", chosen: found.label });
    fill($("score"), found.columns, { none: "choose", chosen: found.score });
    for (const id of COLUMNS.slice(2)) fill($(id), found.columns, { none: "none" });
    fill($("positive"), [], { none: "choose" });
    $("columns").disabled = $("cuts").disabled = false;
    showCutFields();
  },
  values(found) {
    if (!found || found.column !== $("label").value) return;
    fill($("positive"), found.values, { none: "choose", chosen: found.positive });
    if (found.count > found.values.length) tell(`“${found.column}” has ${found.count} different values: is it the label?`);
    $("run").disabled = !canRun();
    if (!autoRun) recall();
    $("run").disabled = !canRun();
    if (autoRun && canRun()) run("evaluate");
    autoRun = false;
  },
  job: showJob,
  refusal(found) {
    if (!found) return;
    tell(found.message);
    $("error").scrollIntoView({ block: "nearest" });
  },
  cut(found) {
    $("chosen").hidden = !found;
    if (!found) return;
    $("statement").textContent = found.statement;
    list($("cut-details"), [...found.details, ...found.assumptions, ...found.notes]);
  },
  table(found) {
    $("start").hidden = Boolean(found);
    $("views").hidden = !found;
    if (found) {
      $("heading").textContent = found.heading;
      $("table-caption").textContent = `Values with ${found.level} intervals`;
      const several = found.models.length > 1;
      $("verdict").textContent = found.verdict;
      const counts = { "flagged if": "cut", "positives found": "tp", "false alarms": "fp", "positives missed": "fn", "negatives left alone": "tn" };
      rows($("counts"), ["", ...found.models], Object.entries(counts).map(([title, name]) => [title, ...found.counts.map((own) => own[name])]));
      rows($("table"), ["", ...found.models.flatMap((name) => [several ? name : "value", "interval"])],
        found.rows.map((row) => [row.title, ...row.cells.flatMap((one) => [one.value || one.reason, one.interval])]));
      list($("notes"), found.notes ?? []);
      $("seconds").textContent = `Computed in ${found.seconds} s${found.notes ? "" : "; the other intervals and the report follow"}`;
    }
    showView(found && choseView ? view : "numbers");
  },
  files(found) {
    const names = Object.keys(found ?? {});
    $("downloads").replaceChildren(...names.map((name) => {
      const item = document.createElement("li");
      item.append(link(name));
      item.append(` (${bytes(found[name])})`);
      return item;
    }));
    for (const name of ["report", "slices"]) {
      const button = document.querySelector(`[data-view=${name}]`);
      const isThere = names.includes(`${name}.html`);
      if (button.disabled === isThere) {
        button.disabled = !isThere;
        if (isThere) $(`${name}-frame`).src = `/tabs/${tab}/view/${name}.html`;
        else $(`${name}-frame`).removeAttribute("src");
        if (isThere && name === "report" && !choseView) showView("report");
      }
    }
  },
  made(name) {
    if (waitsForFile && MADE_ON_REQUEST.test(name)) {
      waitsForFile = false;
      link(name).click();
    }
  },
  charts(found) {
    const titles = new Map((found ?? []).map((one) => [one.name, one.title]));
    fill($("chart"), [...titles.keys()]);
    for (const option of $("chart").options) option.textContent = titles.get(option.value);
  },
  recalibration(found) {
    $("worth").hidden = !found;
    $("worth").textContent = found?.verdict ?? "";
    rows($("methods"), found?.head ?? [], found?.rows ?? []);
    if (found && found.best !== "none") $("method").value = found.best;
  },
};

function link(name) {
  const made = document.createElement("a");
  made.href = `/tabs/${tab}/download/${encodeURIComponent(name)}`;
  made.download = name;
  made.textContent = TITLES[name] ?? name;
  return made;
}

startTheme();
showCutFields();
startSession();
