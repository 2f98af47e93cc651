# %% [markdown]
# # Reviewing: who is served worse
#
# A model is used at twelve sites. The question of a reviewer is not how good it is on average, but whether some site, sex or age
# is served worse, by how much, and how sure that is. The data are made up, so that the answer is known: site 07 ranks worse.

# %%
import numpy as np

import cutline as cl

rng = np.random.default_rng(7)
rows = 4800
site = rng.integers(1, 13, rows)
data = {
    "label": (rng.random(rows) < 0.3).astype(int),
    "site": np.array([f"{number:02}" for number in site]),
    "sex": rng.choice(["female", "male"], rows),
    "age": rng.integers(18, 90, rows),
}
separation = np.where(site == 7, 0.3, 1.1)
data["score"] = 1 / (1 + np.exp(1.2 - rng.normal(size=rows) - separation * data["label"]))

slices = cl.evaluate("label", "score", data=data, by="site", threshold=0.4, name="triage")
print(slices.verdict())

# %% [markdown]
# ## Each site beside the rest
#
# Twelve tests at 5 % raise a false alarm in nearly half of all reviews. These p-values are adjusted for all twelve.

# %%
slices.against_rest("auc")

# %%
slices.chart("slices")

# %% [markdown]
# ## How large is the gap?
#
# The largest of twelve values minus the smallest is always above 0. The interval holds for all pairs at once; where its
# lower limit is 0, the sites may be equal.

# %%
print(slices.gap("auc"))
print(slices.gap("recall"))

# %% [markdown]
# ## Fairness
#
# The criteria at the cut in use, each with an interval. Prevalences stand beside them, because different prevalences alone
# move the share of flagged cases and the precision.

# %%
cl.evaluate("label", "score", data=data, by="sex", threshold=0.4).fairness()

# %% [markdown]
# ## What nobody thought of
#
# All conjunctions of two conditions, with one error rate for the whole search.

# %%
found = cl.find_slices("label", "score", data=data, features=["site", "sex", "age"], measure="auc", permutations=199)
print(found.verdict)
print(found.how)

# %% [markdown]
# ## The report
#
# `slices.save("slices.html")` writes the verdict, the forest plot and the tables as one file, and leaves slices of fewer than five cases out.
# In continuous integration, `cutline check predictions.csv --by site --require 'auc.low >= 0.7'` fails while a site is below, and says which sites are too small to tell.
