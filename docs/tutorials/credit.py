# %% [markdown]
# # Credit: points, approvals, gains
#
# A scorecard gives points from 300 to 850; more points mean less risk. The positive class is a default, so low scores are
# the risky ones.

# %%
import numpy as np

import cutline as cl

rng = np.random.default_rng(5)
good = np.clip(rng.normal(640, 70, 9_300), 300, 850).round()
bad = np.clip(rng.normal(570, 75, 700), 300, 850).round()
points = np.concatenate([good, bad])
outcome = np.array(["paid"] * len(good) + ["default"] * len(bad))

# %% [markdown]
# Say which label is positive and that low points mean risk. The points are not probabilities, so cutline does not cut
# them at 0.5; it says which cut it took.

# %%
ev = cl.evaluate(outcome, points, positive="default", higher_is_positive=False, name="scorecard")
ev.summary(["auc", "ks", "gini", "recall", "precision"])

# %% [markdown]
# ## The gains table
#
# Ten groups of equal size, from the riskiest to the safest, as credit committees read it. Ties are exact: applicants with
# equal points are never split by the order of the rows.

# %%
ev.gains(10)

# %% [markdown]
# ## An approval rate
#
# Declining the riskiest 15 %: what is left among the approved?

# %%
declined = ev.at(share=0.15)
print(f"declined defaults: {declined.recall:.1%}; defaults among the approved: {1 - declined.npv:.2%}")
print(ev.with_cut(share=0.15).estimate("npv"))

# %% [markdown]
# ## A cut with a promise
#
# With 95 % confidence, decline at most 10 % of the applicants who would pay.

# %%
cut = cl.choose_cut(ev, "fpr <= 0.1")
print(cut.statement)
print(f"KS {ev.ks:.3f}, Gini {ev.gini:.3f}")
ev.chart("score_distribution")

# %% [markdown]
# ## Are this quarter's applicants the same people?
#
# Defaults are known after a year; points are known today. The population stability index is printed with the value that
# chance exceeds in 5 % of such samples, and with an interval, because "0.1 means moderate drift" depends on the number of cases.

# %%
drawn = np.random.default_rng(11)
this_quarter = drawn.choice(points, 4000) - drawn.choice([0, 0, 10, 20], 4000)
drift = cl.drift(points, this_quarter, cut=cut.threshold, names=("development", "this quarter"))
print(drift.verdict)
drift.chart()
