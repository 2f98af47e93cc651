# %% [markdown]
# # Clinical: two readers, five points
#
# Two radiologists rate 109 CT images from 1 (surely normal) to 5 (surely abnormal). Ratings on five points have many ties;
# every curve and every test here treats them exactly. The counts of the first reader are those of Hanley and McNeil (1982);
# the second reader is made up for this page, and so is the risk model further down.

# %%
import html
import re
import tempfile
from pathlib import Path

import numpy as np

import cutline as cl

normal, abnormal = [33, 6, 6, 11, 2], [3, 2, 2, 11, 33]
truth = np.repeat([0, 1], [sum(normal), sum(abnormal)])
ratings = range(1, 6)
first = np.concatenate([np.repeat(ratings, normal), np.repeat(ratings, abnormal)])
rng = np.random.default_rng(3)
second = np.clip(first + rng.choice([-1, 0, 0, 1], len(first)), 1, 5)

ev = cl.evaluate(truth, first, name="reader 1", threshold=3)
print(ev.estimate("auc"))
print(ev.estimate("auc", method="delong"))

# %% [markdown]
# ## Two readers, the same patients
#
# Both rated every image, so the test of their difference pairs the cases. Flagged are ratings of 3 and more.

# %%
cmp = cl.compare(truth, {"reader 1": first, "reader 2": second}, threshold=3)
cmp.summary(["auc", "sensitivity", "specificity"])

# %% [markdown]
# ## The figure for the paper
#
# A column of many journals is 85 mm wide. The theme `print` stays readable in grey, and `dpi=600` is written into the file,
# so that a text processor places it at this size.

# %%
folder = tempfile.TemporaryDirectory()
size = {"width": "85mm", "height": "95mm", "theme": "print"}
figure = cmp.chart("roc", title="Two readers", **size)
figure.save(Path(folder.name) / "figure-1.png", dpi=600)
figure

# %% [markdown]
# The curve of one reader can have a band, which holds the whole curve with 95 % confidence.

# %%
ev.chart("roc", title="Reader 1", band="simultaneous", hull=False, **size)

# %% [markdown]
# ## A risk model: can the probabilities be trusted?

# %%
risk = 1 / (1 + np.exp(-rng.normal(-1.5, 1.2, 800)))
event = rng.random(800) < risk**1.2
model = cl.evaluate(event, risk, name="risk model")
print(model.calibration())
model.chart("reliability")

# %% [markdown]
# ## The text for the paper
#
# The clinical template writes a validation report: figures, the recommended measures, a checklist, and this paragraph.

# %%
path = Path(folder.name) / "validation.html"
page = model.save(path, template="clinical", resamples=200).read_text(encoding="utf-8")
paragraph = re.search("<p id='results'>(.*?)</p>", page, re.DOTALL)[1]
print(html.unescape(paragraph))
folder.cleanup()

# %% [markdown]
# ## How many patients does a validation study need?

# %%
print(cl.plan(prevalence=0.25, auc=0.8, auc_width=0.1, slope_width=0.4))
