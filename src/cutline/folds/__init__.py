"""Folds: models fitted on parts of the cases, evaluated and compared on the others."""
