# %% [markdown]
# # Your own measure and chart
#
# A measure of ten lines is a first-class measure: it has intervals, tests, gates, and a place in the report.

# %%
import cutline as cl


@cl.measure(range=(1, float("inf")), better="lower", title="Alerts per hit", formula=r"\frac{TP + FP}{TP}")
def alerts_per_hit(tp, fp):
    """How many alerts are looked at for each true one."""
    return (tp + fp) / tp


cl.check_measure(alerts_per_hit)

# %%
example = cl.examples.load("tumours")
ev = cl.evaluate(example.labels, example.scores["tree"], positive=example.positive, name="tree")
print(ev.estimate("alerts_per_hit"))

# %% [markdown]
# It has a curve over the threshold, too.

# %%
ev.chart("alerts_per_hit")

# %% [markdown]
# Any chart is an Altair chart inside, to change or to combine.

# %%
picture = ev.chart("precision_recall")
picture.altair.properties(title="Precision and recall of the tree")
cl.MEASURES.remove("alerts_per_hit")
