// The worker: reads, ranks and evaluates on a thread of its own, so that the page stays quick. It answers each task.

import { lookAt, readColumns } from "./columns_of_file.js";
import { evaluateRanking } from "./evaluate_ranking.js";
import { makeRanking } from "./make_ranking.js";
import { promiseLevels } from "./promise_levels.js";
import { Refusal } from "./table_text.js";
import { withoutWorkbook } from "./workbook.js";

let [programs, file, title, layout, cases] = [null, null, "", null, null];

const TASKS = {
  async start(task) {
    programs = task.programs;
  },
  async look(task) {
    title = task.title;
    const table = await withoutWorkbook(task.file, title);
    file = table.file;
    const columns = await lookAt(file, title, programs.words);
    layout = { ...columns.layout, sheet: table.sheet };
    columns.layout = layout;
    return columns;
  },
  async read({ chosen }) {
    cases = null; // the old ones go before the new ones come
    const tellProgress = (share) => postMessage({ progress: share });
    cases = await readColumns(file, title, layout, chosen, programs.words, tellProgress);
    return { counts: cases.counts, dropped: cases.dropped, range: rangeOf(cases.scores) };
  },
  async evaluate({ positive, higher }) {
    const isClass = Uint8Array.from(cases.names, (name) => name === positive);
    const isPositive = new Uint8Array(cases.labels.length);
    for (let i = 0; i < isPositive.length; i++) isPositive[i] = isClass[cases.labels[i]];
    const ranking = makeRanking(isPositive, cases.scores, cases.weights, higher ? 1 : -1);
    const result = evaluateRanking(ranking, programs, higher);
    result.model.are_weighted = cases.weights !== null && cases.weights.some((weight) => weight !== 1);
    return result;
  },
  async promise({ positives, negatives, positive }) {
    return promiseLevels(positives, negatives, positive, programs.level, programs.promises.words);
  },
};

function rangeOf(scores) {
  let [low, high] = [Infinity, -Infinity];
  for (const score of scores) {
    if (score < low) low = score;
    if (score > high) high = score;
  }
  return [low, high];
}

onmessage = async ({ data: task }) => {
  try {
    postMessage({ id: task.id, result: await TASKS[task.name](task) });
  } catch (error) {
    const refusal = error instanceof Refusal ? error.message : refusalOf(error);
    postMessage({ id: task.id, refusal, offersToDrop: Boolean(error.offersToDrop) });
  }
};

// What a browser says where it has no room, or where the file went away while it was read.
function refusalOf(error) {
  if (error instanceof RangeError) return `${title} is too large for this browser: use the command line, which reads files of any size.`;
  if (error?.name === "NotFoundError" || error?.name === "NotReadableError") return `${title} cannot be read any more: choose it again.`;
  return `${title} could not be read (${error?.message ?? error}).`;
}
