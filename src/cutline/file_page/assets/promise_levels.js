// The levels of the bounds of a promise for these numbers of cases, as cutline.report.cut_data gives them to a report.

import { upperBound } from "./bounds.js";
import { localLevel, sharedBounds } from "./levels.js";
import { fill, inPercent } from "./sentences.js";

const PIECES = [1, 2, 3]; // of the data that promises rest on: positives, negatives, and how many of each there are

export function promiseLevels(positives, negatives, positive, confidence, words) {
  const parts = PIECES.map((pieces) => confidence ** (1 / pieces));
  const cases = { recall: positives, fpr: negatives };
  const each = (make) => Object.fromEntries(Object.entries(cases).map(([name, n]) => [name, make(n)]));
  const share = positives / (positives + negatives);
  return {
    confidence,
    parts,
    anywhere: each((n) => parts.map((part) => 1 - localLevel(n, part))),
    shared: each(sharedBounds),
    prevalence_low: 1 - upperBound(negatives, positives + negatives, parts.at(-1)),
    same_prevalence: fill(words.same_prevalence, { percent: inPercent(Number(share.toFixed(4))) }),
    positive,
  };
}
