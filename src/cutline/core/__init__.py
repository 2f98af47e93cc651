"""The foundation: the ranking, the counts of a cut, what is certain about both, errors and small helpers."""
