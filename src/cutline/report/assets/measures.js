// The measures of one cut, by their names in the Python registry, which the browser tests compare them with.
// `value` is a function of the counts, `chance` of what a model that knows nothing has in the same place.
// A share also says of which cases it is the share (`of`), which its interval needs.

const P = (c) => c.tp + c.fn;
const N = (c) => c.fp + c.tn;
const n = (c) => c.tp + c.fp + c.fn + c.tn;
const recall = (c) => c.tp / P(c);
const fpr = (c) => c.fp / N(c);
const precision = (c) => c.tp / (c.tp + c.fp);
const npv = (c) => c.tn / (c.fn + c.tn);
const youden = (c) => recall(c) - fpr(c);
const within = (x, low, high) => (Number.isNaN(x) ? x : Math.min(Math.max(x, low), high));
const odds = (risk) => risk / (1 - risk);
const always = (value) => () => value;
const share = (k, m, chance, then = (p) => p) => ({
  of: (c) => [k(c), m(c)],
  value: (c) => then(k(c) / m(c)),
  then,
  chance,
});

function risk(c) {
  return c.isRisk && c.threshold >= 0 && c.threshold < 1 ? c.threshold : NaN;
}

function mutualInformation(c) {
  const cells = [
    [c.tp, c.tp + c.fp, P(c)],
    [c.fp, c.tp + c.fp, N(c)],
    [c.fn, c.fn + c.tn, P(c)],
    [c.tn, c.fn + c.tn, N(c)],
  ];
  const all = n(c);
  const sum = cells.reduce((total, [cell, row, column]) => {
    const p = cell / all;
    return total + (p > 0 ? p * Math.log(p / ((row / all) * (column / all))) : p);
  }, 0);
  return Number.isNaN(sum) ? sum : Math.max(sum, 0);
}

const fChance = (s) => (2 * s.prevalence * s.flagged) / (s.prevalence + s.flagged);
const fValue = (c) => (2 * c.tp) / (2 * c.tp + c.fp + c.fn);

export const COUNT_MEASURES = {
  accuracy: share((c) => c.tp + c.tn, n, (s) => s.prevalence * s.flagged + (1 - s.prevalence) * (1 - s.flagged)),
  error_rate: share((c) => c.fp + c.fn, n, (s) => s.prevalence * (1 - s.flagged) + (1 - s.prevalence) * s.flagged),
  recall: share((c) => c.tp, P, (s) => s.flagged),
  specificity: share((c) => c.tn, N, (s) => 1 - s.flagged),
  fpr: share((c) => c.fp, N, (s) => s.flagged),
  fnr: share((c) => c.fn, P, (s) => 1 - s.flagged),
  precision: share((c) => c.tp, (c) => c.tp + c.fp, (s) => s.prevalence),
  npv: share((c) => c.tn, (c) => c.fn + c.tn, (s) => 1 - s.prevalence),
  fdr: share((c) => c.fp, (c) => c.tp + c.fp, (s) => 1 - s.prevalence),
  false_omission_rate: share((c) => c.fn, (c) => c.fn + c.tn, (s) => s.prevalence),
  prevalence: share(P, n, (s) => s.prevalence),
  predicted_positive_rate: share((c) => c.tp + c.fp, n, (s) => s.flagged),
  mcc: {
    value: (c) => {
      const spread = Math.sqrt(P(c)) * Math.sqrt(N(c)) * Math.sqrt(c.tp + c.fp) * Math.sqrt(c.fn + c.tn);
      return within((c.tp * c.tn - c.fp * c.fn) / spread, -1, 1);
    },
    chance: always(0),
  },
  kappa: {
    value: (c) => (2 * (c.tp * c.tn - c.fp * c.fn)) / ((c.tp + c.fp) * N(c) + P(c) * (c.fn + c.tn)),
    chance: always(0),
  },
  mutual_information: { value: mutualInformation, chance: always(0) },
  markedness: { value: (c) => precision(c) - (1 - npv(c)), chance: always(0) },
  diagnostic_odds_ratio: {
    value: (c) => (c.tp * c.tn) / (c.fp * c.fn),
    ratio: { above: ["tp", "fn"], below: ["fp", "tn"], odds: true },
    chance: always(1),
  },
  p4: {
    value: (c) => (4 * c.tp * c.tn) / (4 * c.tp * c.tn + (c.tp + c.tn) * (c.fp + c.fn)),
    chance: ({ prevalence: p, flagged: q }) =>
      p * q * (1 - p) * (1 - q) === 0 ? NaN : 4 / (1 / p + 1 / q + 1 / (1 - p) + 1 / (1 - q)),
  },
  prevalence_threshold: {
    value: (c) => Math.sqrt(fpr(c)) / (Math.sqrt(recall(c)) + Math.sqrt(fpr(c))),
    chance: always(0.5),
  },
  youden_j: { value: youden, chance: always(0) },
  weighted_relative_accuracy: { value: (c) => (P(c) / n(c)) * (N(c) / n(c)) * youden(c), chance: always(0) },
  lr_plus: {
    value: (c) => recall(c) / fpr(c),
    ratio: { above: ["tp", "fn"], below: ["fp", "tn"] },
    chance: always(1),
  },
  lr_minus: {
    value: (c) => c.fn / P(c) / (c.tn / N(c)),
    ratio: { above: ["fn", "tp"], below: ["tn", "fp"] },
    chance: always(1),
  },
  balanced_accuracy: { value: (c) => (recall(c) + c.tn / N(c)) / 2, chance: always(0.5) },
  balanced_error_rate: { value: (c) => (fpr(c) + c.fn / P(c)) / 2, chance: always(0.5) },
  g_mean: {
    value: (c) => Math.sqrt(recall(c) * (c.tn / N(c))),
    chance: (s) => Math.sqrt(s.flagged * (1 - s.flagged)),
  },
  f_alpha: { value: fValue, chance: fChance },
  f_beta: { value: fValue, chance: fChance },
  f1: share((c) => c.tp, (c) => c.tp + c.fp + c.fn, fChance, (jaccard) => (2 * jaccard) / (1 + jaccard)),
  g_measure: {
    value: (c) => Math.sqrt(precision(c) * recall(c)),
    chance: (s) => Math.sqrt(s.prevalence * s.flagged),
  },
  jaccard: share((c) => c.tp, (c) => c.tp + c.fp + c.fn, ({ prevalence: p, flagged: q }) => (p * q) / (p + q - p * q)),
  lift: { value: (c) => precision(c) / (P(c) / n(c)), chance: (s) => s.prevalence / s.prevalence },
  expected_cost: {
    value: (c, { costFp, costFn }) => (costFp * c.fp + costFn * c.fn) / n(c),
    chance: (s, { costFp, costFn }) =>
      costFp * (1 - s.prevalence) * s.flagged + costFn * s.prevalence * (1 - s.flagged),
  },
  net_benefit: {
    value: (c) => c.tp / n(c) - (c.fp / n(c)) * odds(risk(c)),
    chance: (s) => s.flagged * (s.prevalence - (1 - s.prevalence) * odds(s.threshold)),
  },
};

export function situation(c) {
  return { prevalence: P(c) / n(c), flagged: (c.tp + c.fp) / n(c), threshold: c.threshold };
}
