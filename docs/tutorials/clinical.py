# %% [markdown]
# # Clinical: two readers, five points
#
# Two radiologists rate 109 CT images from 1 (surely normal) to 5 (surely abnormal). Ratings on five points have many ties;
# every curve and every test here treats them exactly. The counts of the first reader are those of Hanley and McNeil (1982).

# %%
import numpy as np

import cutline as cl

normal, abnormal = [33, 6, 6, 11, 2], [3, 2, 2, 11, 33]
truth = np.repeat([0, 1], [sum(normal), sum(abnormal)])
first = np.concatenate([np.repeat(range(1, 6), normal), np.repeat(range(1, 6), abnormal)])
rng = np.random.default_rng(3)
second = np.clip(first + rng.choice([-1, 0, 0, 1], len(first)), 1, 5)

ev = cl.evaluate(truth, first, name="reader 1", threshold=3)
print(ev.estimate("auc"))
print(ev.estimate("auc", method="delong"))

# %% [markdown]
# ## Two readers, the same patients

# %%
cmp = cl.compare(truth, {"reader 1": first, "reader 2": second}, threshold=3)
print(cmp.summary(["auc", "sensitivity", "specificity"]))

# %% [markdown]
# ## The figure for the paper

# %%
cmp.chart("roc")

# %% [markdown]
# ## A risk model: can the probabilities be trusted?

# %%
risk = 1 / (1 + np.exp(-rng.normal(-1.5, 1.2, 800)))
event = rng.random(800) < risk**1.2
model = cl.evaluate(event, risk, name="risk model")
print(model.calibration())
model.chart("reliability")

# %% [markdown]
# `model.save("validation.html", template="clinical")` writes a validation report with a checklist and a results paragraph.
# How many patients does a validation study need?

# %%
print(cl.plan(prevalence=0.25, auc=0.8, auc_width=0.1, slope_width=0.4))
