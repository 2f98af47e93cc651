# %% [markdown]
# # Teaching: Berrar's ten cases
#
# The chapter "Performance Measures for Binary Classification" follows ten cases. They fit on a slide, and every number can
# be counted by hand.

# %%
import cutline as cl

ten = cl.examples.load("ten_cases")
scores = ten.scores["score"]
ev = cl.evaluate(ten.labels, scores, positive=ten.positive, name="ten cases")
ev.places()

# %% [markdown]
# ## Four counts, many measures
#
# At each threshold there are four counts. All measures of one cut are made of them.

# %%
for threshold in (0.9, 0.55, 0.5, 0.2):
    at = ev.at(threshold=threshold)
    print(f"{threshold}: {at.tp:g} true and {at.fp:g} false positives")
    for name in ("accuracy", "precision", "recall"):
        print(f"    {name} {getattr(at, name):.2f}")

# %% [markdown]
# ## All thresholds at once

# %%
ev.chart("roc")

# %% [markdown]
# The area under this curve is the share of pairs, one positive and one negative, that are in the right order. Count them.

# %%
cases = list(zip(scores, ten.labels, strict=True))
positives = [score for score, label in cases if label == ten.positive]
negatives = [score for score, label in cases if label != ten.positive]
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
