"""Constants of the intervals of one model, each with its source.

"Source" is a publication. "Chosen" names the command whose figures it was chosen by, on the development half of the
populations (`python benchmarks/coverage.py run`, then `findings`; `python benchmarks/ablation.py` tries to do without
a rule on the same samples). "A convention" is a definition, or decides only what is said. "By judgement" is a number
that nobody has fitted; the coverage study checks what it does, and no more. Numbers of the computation alone (cells
held at once, steps of a grid, rounding) stand where they are used. docs/how-intervals-are-made.md lists these.
"""

# ---------------------------------------------------------------------- few cases

FEW = 15.0
"""Degrees of freedom below which a detail says on about how many cases a result rests, and an AUC has the wider of two
intervals: 97.8 % of these held, without it 87.2. Chosen: `python benchmarks/ablation.py two-areas`."""
FEW_CASES = 30
"""Cases of a class below which a detail names their number. A convention."""
FEW_GROUPS = 3
"""Groups of a class below which a warning says so, for measures of one cut: with 2 groups recall missed in 9 % of 649,
with 3 to 6 in 5 to 7 %; measures of all cuts hold with 2 too. Chosen: `python benchmarks/coverage.py`."""
FEW_DECISIONS = 5
"""True positives, or errors, at a quota or at a point of a curve below which resamples hardly vary, so that Wilson's
limits are used: 96.4 % of these held at quotas, without it 95.0, and 17 of 135 cells lost a point. Chosen: `python
benchmarks/ablation.py few-at-quota`. At the top of the list 98.3 %, without it 87.1 (`few-at-the-top`)."""
FEW_EVENTS = 3
"""Cases that have a property, or lack it, up to which Wilson's limit is replaced by Poisson's. Source: Brown, Cai and
DasGupta 2001."""
POISSON_UP_TO = 0.2
"""Largest share of all cases for which so few events have Poisson's limits: 96.5 % of the limits that it changes held;
without it 98.8 % do, but are wider. Chosen: `python benchmarks/ablation.py poisson-up-to`."""

# ---------------------------------------------------------------------- the AUC

FEWEST_FREE = 12.0
"""Degrees of freedom that DeLong's variance has at least: with fewer, Newcombe's limits are the wider ones. 97.5 % of
these held; without it 98.1, and they are 10 % wider. Chosen: `python benchmarks/ablation.py fewest-free`."""
WEIGHTS_TREND = 0.6
"""Correlation of the logarithms of the weights with the ranks from which on weights go with the scores, which is
warned of: 86.0 % of these held, of the others 96.2. Chosen: `python benchmarks/ablation.py weights-and-scores`."""
WEIGHTS_SPREAD = 0.3
"""Standard deviation of these logarithms below which weights are about equal. Chosen: `python benchmarks/ablation.py
weights-and-scores`."""
CLASS_WEIGHTS = 5.0
"""Ratio of the mean weights of both classes beyond which areas under precision-recall curves and the ECE carry a
warning (misses in 7 to 14 % and in up to 23 %; all other measures of the order in 3 to 9 %). Chosen: `python
benchmarks/coverage.py`."""
SCORES_FOR_A_TREND = 12
"""Scores of a class from which on such a trend can be seen. A convention: with 12, chance alone exceeds a
correlation of 0.6 in one of 25 classes."""

# ---------------------------------------------------------------------- smooth measures

PLENTY = 10_000
"""Cases of the smaller class in effect from which on a standard error needs no resamples. A convention: the skewness of
a count of 10,000 moves a tail of 2.5 % by 0.08 points (the first term of the expansion in Hall 1992). With 11,000 of
each class 96.6 % of 89 intervals held, as many as with resamples, which were as wide: `python benchmarks/ablation.py
plenty`."""
PLENTY_FOR_A_DIFFERENCE = 5000
"""The same for a difference of two models, in which much of the skewness cancels. A convention: what does not cancel
moves a tail by at most 0.12 points."""
PLENTY_IN_A_CELL = 1000
"""Cases that each of the four cells of a cut must have for that. A convention: the skewness of a count of 1,000 moves a
tail of 2.5 % by 0.27 points (Hall 1992)."""
PART_OF_A_CASE = 0.25
"""Least distance of a resampled value from an end of its range, in parts of a case. With a fifth of it 98.0 % held as
well, but the intervals were 4 % wider. Chosen: `python benchmarks/ablation.py part-of-a-case`."""
PART_OF_THE_VALUE = 0.1
"""The same for a range with one end, in parts of the distance of the value from it. With a fifth of it all of 62 held
as well, but the intervals were 1 % wider. Chosen: `python benchmarks/ablation.py part-of-the-value`."""
NEAR_AN_END = 0.02
"""Part of the range within which a value of the order is near its end, which is warned of: 7 of 10 held, of the others
95.2 %. Chosen: `python benchmarks/ablation.py near-an-end`."""
ENOUGH_NEAR_AN_END = 100
"""Cases of the smaller class with which intervals hold there too (misses in 4.9 % of 1,522; with 40 to 99, 8.9 %).
Chosen: `python benchmarks/coverage.py`."""
HANDFUL = 10.0
"""Degrees of freedom below which a mean over probabilities whose range has 0 inside carries a warning (misses in 10 %
of 668). Chosen: `python benchmarks/coverage.py`."""
OPEN_END = 0.15
"""Part of an interval's width that a line from the origin may hide, from which on a warning says so (misses in 9.5 %).
Chosen: `python benchmarks/coverage.py`."""
SKEWED = 0.06
"""Acceleration beyond which BCa, asked for by name, is warned of: 83.7 % of these held, of the others 93.0. Chosen:
`python benchmarks/ablation.py skewed-bca`."""

# ---------------------------------------------------------------------- the best over all cuts

UNSEEN_BIAS = 2
"""How many times the bias that resamples show is taken off an optimum: they start from a sample whose optimum is biased
already. 91.1 % held; with 1, 89.9. Chosen: `python benchmarks/ablation.py unseen-bias`."""
SMOOTHING = 0.9
"""Bandwidth of the kernel, times the spread of a class and the fifth root of its cases. Source: Silverman 1986."""
SMOOTHING_OF_PEAKS = 0.6
"""The same for measures that a narrow peak of positives decides: with 0.9, H and CORP discrimination held in 86 and
88 % of 400 samples where most of few positives stand together. Chosen: `python benchmarks/coverage.py`."""
UNCERTAIN_BIAS = 0.5
"""Part of the bias that is taken for uncertain; without it KS and AUCH held 1 to 8 points less often in six of seven
populations. Chosen: `python benchmarks/coverage.py`."""
INSIDE = 1e-3
"""How near to the end of its range a corrected value may come, in parts of the range. A convention: at the end itself
the logit scale has no limits but both ends, and reversed scores would leave anything possible."""
FAR_FROM_NO_SKILL = 5.0
"""Standard errors from what a score without skill has, beyond which no test of it is needed: it changed 4 of 630
intervals, which held either way. Chosen: `python benchmarks/ablation.py far-from-no-skill`; it saves a third of the
time."""

# ---------------------------------------------------------------------- points of curves and quotas

TIED = 0.2
"""Part of a class at one score from which on cuts are far apart: 97.4 % of 39 limits that it changes held, without it
15.4. Chosen: `python benchmarks/ablation.py tied`."""
NEAR_THE_POSITIVES = 2 / 3
"""A quota between this part of the number of positives and that number divided by it is about as large as the number of
positives, and keeps the percentiles: 95.0 % of these held; without it 92.9. Chosen: `python benchmarks/ablation.py
near-the-positives`."""

# ---------------------------------------------------------------------- calibration

BRIDGE = 2.146
"""The largest value of a Brownian bridge that chance exceeds in one of ten thousand: the root of ln(10,000) / 2."""
SURPRISES = 3.0
"""Surprises that a calibrated model leaves to be expected (the sum of p (1 - p)) below which calibration errors are
warned of (misses in 16 to 47 %). Chosen: `python benchmarks/coverage.py`."""
GROWS = 0.1
"""Growth of a calibration error along the way to the isotonic curve, as a part of its first growth, below which it
counts as being as large as it gets. Chosen: `python benchmarks/coverage.py`."""
SANDWICH_LARGER = 0.1
"""By how much the sandwich's standard error is larger than that of the likelihood, asked for by name, from which on a
warning says so. A convention: with one that is so much too small, 95 % are 92.5. Of these 1,233 91.1 % held, of the
others 95.1 (validation: 91.7 and 97.2): `python benchmarks/ablation.py assumes-the-line`."""

# ---------------------------------------------------------------------- bands

BAND_SMOOTHING = 0.3
"""Bandwidth of the kernel of bands: a third of Silverman's, so that a steep curve stays steep. By judgement."""
BAND_LEAST = 0.75
"""Steps of both classes by which a band reaches beyond a curve that hardly varies. By judgement."""
BAND_RESAMPLED = 1 / 6
"""Part of the steps of both classes by which resamples of the data stray further than samples do. Chosen: `python
benchmarks/curve_bands.py`."""
BAND_SMOOTHED = -1 / 12
"""The same for samples of the smoothed data, which stray less far. Chosen: `python benchmarks/curve_bands.py`."""
BAND_MORE = 1.05
"""Times what samples of the smoothed data need: a steep start of the curve is smoothed away. Chosen: `python
benchmarks/curve_bands.py`."""
