# %% [markdown]
# # Marketing: a quota, and what it earns
#
# A letter costs 1, and an answer earns 25. About 6 % of the customers answer. Whom do you write to, and how many?

# %%
import numpy as np

import cutline as cl

rng = np.random.default_rng(11)
answers = rng.random(6_000) < 0.06
score = rng.normal(size=6_000) + 1.1 * answers
ev = cl.evaluate(answers, score, name="mailing")

# %% [markdown]
# ## The best 1,000 customers
#
# Hit rate is the share of them who answer, Qrecall the share of all answers that they bring.

# %%
for name in ("hit_rate", "qrecall", "lift"):
    print(name, ev.estimate(name, quota=1000))

# %% [markdown]
# ## Lift and gain

# %%
ev.chart("gain")

# %% [markdown]
# ## How many letters pay?

# %%
profit = cl.profit_curve(ev, value=25, cost=1)
profit.chart()

# %%
cut = cl.choose_cut(ev, utility={"tp": 24, "fp": -1})
print(cut.statement)
