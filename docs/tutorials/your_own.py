# %% [markdown]
# # Your own measure and chart
#
# A measure of ten lines is a first-class measure: it has intervals, tests, gates, and a place in the report.

# %%
from dataclasses import replace

import cutline as cl


@cl.measure(
    range=(1, float("inf")),
    better="lower",
    title="Alerts per hit",
    formula=r"\frac{TP + FP}{TP}",
)
def alerts_per_hit(tp, fp):
    """How many alerts are looked at for each true one."""
    return (tp + fp) / tp


cl.check_measure(alerts_per_hit)

# %%
data = cl.examples.load("tumours")
ev = cl.evaluate(data.labels, data.scores["tree"], positive=data.positive, name="tree")
print(ev.estimate("alerts_per_hit"))

# %% [markdown]
# It has a curve over the threshold, too.

# %%
ev.chart("alerts_per_hit")

# %% [markdown]
# ## Your own chart
#
# Every chart is an Altair chart inside, to change or to combine; put it back, and it is drawn and saved as before.

# %%
picture = ev.chart("precision_recall")
wide = picture.altair.properties(title="Precision and recall of the tree", width=450, height=250)
replace(picture, altair=wide)

# %% [markdown]
# A measure stays until you take it back.

# %%
cl.MEASURES.remove("alerts_per_hit")
print("alerts_per_hit" in cl.MEASURES)
