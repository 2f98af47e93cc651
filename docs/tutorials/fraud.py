# %% [markdown]
# # Fraud: millions of rows, alerts a day
#
# Five million payments, two in a thousand fraudulent. The team can look at 500 alerts a day. The file is read where it is;
# it never has to fit into memory. (The tests of cutline run this page with fewer rows; set `CUTLINE_TUTORIAL_ROWS` to do so.)

# %%
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import numpy as np

import cutline as cl

ROWS = int(os.environ.get("CUTLINE_TUTORIAL_ROWS", "5000000"))
folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "payments.parquet"
duckdb.sql("select setseed(0.4)")
duckdb.sql(f"""
    copy (
        select fraud, round(1 / (1 + exp(-(margin + case when fraud then 3.2 else 0 end))), 6) as new,
               round(1 / (1 + exp(-(margin * 0.8 + other + case when fraud then 2.6 else 0 end))), 6) as old
        from (select random() < 0.002 as fraud,
                     sqrt(-2 * ln(1 - random())) * cos(6.283185307 * random()) - 6 as margin,
                     sqrt(-2 * ln(1 - random())) * cos(6.283185307 * random()) * 0.6 as other
              from range({ROWS}))
    ) to '{path}'
""")
print(f"{ROWS:,} payments")

# %% [markdown]
# ## How good is the list that the team works through?

# %%
ev = cl.evaluate("fraud", "new", data=path, quota=500)
print(ev)
print(f"Of 500 alerts {500 * ev.precision:.0f} are fraud; they are {ev.recall:.1%} of all fraud.")

# %% [markdown]
# ## Is the new model better than the one in production?
#
# Both scored the same payments, so the difference is more certain than the two values.

# %%
cmp = cl.compare("fraud", {"new": "new", "old": "old"}, data=path, quota=500)
print(cmp.verdict("auc"))
for name, precision in cmp.values_of("precision").items():
    print(f"Of 500 alerts of the {name} model {500 * precision:.0f} are fraud.")

# %% [markdown]
# ## As a gate
#
# The same on the command line, for the build that releases the model: the exit code is 1 when a requirement fails.

# %%
command = (
    "cutline check payments.parquet --label fraud --score new --quota 500 --require 'precision.low >= 0.4' "
    "--against payments.parquet --against-score old --no-worse auc --margin 0.001"
)
words = [sys.executable, "-m", *shlex.split(command)]
gate = subprocess.run(words, cwd=folder.name, capture_output=True, text=True, check=False)
print(gate.stdout, f"exit code {gate.returncode}", sep="\n")

# %% [markdown]
# ## An alert budget with a promise
#
# With 95 % confidence at most one honest payment in 10,000 is stopped.

# %%
print(cl.choose_cut(ev, "fpr <= 0.0001").statement)
folder.cleanup()

# %% [markdown]
# ## Has it become worse since?
#
# Each day's payments become a small ranking. Labels of fraud come weeks late (chargebacks), so young days wait. The
# detector may be looked at every day: its false alarms are at least ten years apart on average. From the 20th day on,
# fraudsters have learned, and their scores fall.

# %%
rng = np.random.default_rng(7)


def one_day(cases, learned=0.0):
    """Rank the payments of a day."""
    is_fraud = rng.random(cases) < 0.05
    return cl.rank(is_fraud.astype(int), rng.normal(np.where(is_fraud, 2.0 - learned, 0.0), 1), positive=1)


release = one_day(20000)
days = [(f"2026-{9 + i // 30:02d}-{1 + i % 30:02d}", one_day(2000, 0.8 if i >= 20 else 0.0)) for i in range(60)]
watch = cl.monitor(
    release, days, measures=["recall", "auc"], cut=1.5, worse_by={"recall": 0.03}, matures=14, alarm="every"
)
print(watch.verdict)
used = sum(row["status"] == "used" for row in watch.labels)
print(f"{used} of {len(watch.labels)} days have labels that are complete")
watch.chart("recall")
