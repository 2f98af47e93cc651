"""Training for the measure that is reported: a linear classifier, its exact oracles, and losses for other trainers.

It stands on the public names of cutline, as a user's code would. Needs scikit-learn.
"""
