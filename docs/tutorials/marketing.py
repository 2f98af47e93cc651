# %% [markdown]
# # Marketing: a quota, and what it earns
#
# A letter costs 1, and an answer earns 25. About 6 % of the customers answer. Whom do you write to, and how many?
# The 6,000 customers of the last mailing are made up for this page; put your own file in their place.

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
# Hit rate is the share of them who answer, Qrecall the share of all answers that they bring, and lift how many times more
# often they answer than customers who are chosen at random.

# %%
for name in ("hit_rate", "qrecall", "lift"):
    print(ev.estimate(name, quota=1000))

# %% [markdown]
# ## The whole list
#
# Write to the best so many per cent: which share of all answers comes back?

# %%
ev.chart("gain")

# %% [markdown]
# ## How many letters pay?
#
# An answer earns 25 and every letter costs 1, whoever gets it.

# %%
profit = cl.profit_curve(ev, value=25, cost=1)
profit.chart()

# %% [markdown]
# The same as a rule for new customers: a letter that is answered leaves 24, one that is not costs 1. The statement says what
# the rule earns on the data that it was chosen on, and what to expect of new ones.

# %%
cut = cl.choose_cut(ev, utility={"tp": 24, "fp": -1})
print(cut.statement)
