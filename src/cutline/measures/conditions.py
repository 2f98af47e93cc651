"""The circumstances in which measures are undefined."""

from __future__ import annotations

import numpy as np

from cutline.measures.facts import Condition

NO_CASE = Condition("there is no case", lambda d, **_: d.total == 0)
NO_POSITIVE = Condition("there is no positive case", lambda d, **_: d.positives == 0)
NO_NEGATIVE = Condition("there is no negative case", lambda d, **_: d.negatives == 0)
NONE_FLAGGED = Condition("no case is flagged", lambda c, **_: c.flagged == 0)
ALL_FLAGGED = Condition("every case is flagged", lambda c, **_: c.unflagged == 0)
ONE_CLASS = (NO_POSITIVE, NO_NEGATIVE)
FRACTIONAL_WEIGHTS = Condition(
    "the weights are not whole numbers, and the average runs over whole places of the list",
    lambda r, **_: not r.integral,
)
INFINITE_SCORES = Condition("a score is infinite", lambda r, **_: not np.isfinite(r.score[[0, -1]]).all())
