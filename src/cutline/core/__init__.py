"""The foundation: ranking, counts of a cut, certified brackets, errors and small helpers."""
