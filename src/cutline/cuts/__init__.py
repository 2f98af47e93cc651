"""Where to cut: requirements, cuts with a guarantee, cuts that are best by a measure or by costs."""
