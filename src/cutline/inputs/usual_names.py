"""What people call the columns of labels and scores: where only one is called so, it can only be that one."""

from __future__ import annotations

LABELS = ("label", "labels", "y", "y_true", "target", "truth", "class", "outcome", "actual", "response")
SCORES = ("score", "scores", "p", "prob", "proba", "probability", "y_score", "y_prob", "y_pred", "prediction", "pred")
IDS = ("", "id", "ids", "case", "row", "index", "uuid", "unnamed: 0")
