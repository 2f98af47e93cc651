"""How fast intervals are, as ratios to scikit-learn in the same run: `make bench`."""

from __future__ import annotations

import sys

import numpy as np
from measuring import Timing, in_turn, predictions, ratio, run_once, target, verdict
from sklearn.metrics import roc_auc_score

import cutline as cl

N, RESAMPLES = 100_000, 2000
LOOPS = 40  # of the peer, whose time for all resamples is this time multiplied


def bootstrap_against_a_loop() -> None:
    labels, scores = predictions(N, None)
    ev = cl.evaluate(labels, scores)
    rng = np.random.default_rng(1)

    def loop() -> None:
        for _ in range(LOOPS):
            rows = rng.integers(0, N, N)
            roc_auc_score(labels[rows], scores[rows])

    every = [m.with_(quota=1000) if "quota" in m.required else m for m in cl.MEASURES]
    ev.estimates(every, method="bootstrap", resamples=2)  # load what is loaded once
    asked = {"resamples": RESAMPLES, "method": "bootstrap"}
    found = in_turn({"loop": loop, "auc": lambda: ev.estimate("auc", **asked)}, 3)
    peer = Timing(*(tuple(run * RESAMPLES / LOOPS for run in runs) for runs in found["loop"]))
    print(f"AUC, {RESAMPLES} resamples of {N} cases: {found['auc'].median:.2f} s; a loop: {peer.median:.1f} s")
    what = "bootstrap of the AUC, times faster than a loop over scikit-learn"
    target(what, ratio(peer, found["auc"]), low=45)
    everything = run_once(lambda: ev.estimates(every, **asked))
    print(f"all {len(every)} measures on the same resamples: {everything.median:.1f} s")
    target("bootstrap of all measures, share of that loop", ratio(everything, peer), high=0.35)


def delong_against_the_value() -> None:
    labels, scores = predictions(10_000_000, None)
    found = in_turn(
        {
            "ours": lambda: cl.evaluate(labels, scores).estimate("auc"),
            "peer": lambda: roc_auc_score(labels, scores),
        },
        3,
    )
    share = ratio(found["ours"], found["peer"])
    target("the AUC with DeLong's interval at n = 1e7, share of scikit-learn's AUC alone", share, high=1)


def main() -> int:
    bootstrap_against_a_loop()
    delong_against_the_value()
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
