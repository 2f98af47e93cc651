"""Engines aggregate predictions into the cells of a ranking: one GROUP BY, wherever the rows live."""
