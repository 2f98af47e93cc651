# %% [markdown]
# # Teaching: Berrar's ten cases
#
# The chapter "Performance Measures for Binary Classification" follows ten cases. They fit on a slide, and every number can
# be counted by hand.

# %%
import cutline as cl

ten = cl.examples.load("ten_cases")
ev = cl.evaluate(ten.labels, ten.scores["score"], positive=ten.positive, name="ten cases")
print(ev.places())

# %% [markdown]
# ## Four counts, many measures
#
# At each threshold there are four counts. All measures of one cut are made of them.

# %%
for threshold in (0.9, 0.55, 0.5, 0.2):
    at = ev.at(threshold=threshold)
    found = f"{at.tp:g} true and {at.fp:g} false positives"
    print(f"{threshold}: {found}; accuracy {at.accuracy:.2f}, precision {at.precision:.2f}, recall {at.recall:.2f}")

# %% [markdown]
# ## All thresholds at once

# %%
ev.chart("roc")

# %% [markdown]
# The area under this curve is the share of pairs, one positive and one negative, that are in the right order. Count them.

# %%
positives = [s for s, label in zip(ten.scores["score"], ten.labels, strict=True) if label == ten.positive]
negatives = [s for s, label in zip(ten.scores["score"], ten.labels, strict=True) if label != ten.positive]
right = sum((p > n) + 0.5 * (p == n) for p in positives for n in negatives)
pairs = len(positives) * len(negatives)
print(f"{right} of {pairs} pairs: {right / pairs}, and ev.auc is {ev.auc}")

# %% [markdown]
# ## How sure can ten cases make us?

# %%
print(ev.estimate("accuracy"))
print(ev.estimate("auc"))

# %% [markdown]
# Not very. [The companion](../companion/berrar.html) reproduces the whole chapter in its order.
