"""What a specification of a chart draws."""


def layers_of(spec):
    """Return the single layers of a specification, however they are nested."""
    parts = [part for key in ("layer", "hconcat", "vconcat") for part in spec.get(key, [])]
    return [layer for part in parts for layer in layers_of(part)] if parts else [spec]


def rows_of(spec):
    """Return all rows of data that a specification draws."""
    return [one for rows in spec.get("datasets", {}).values() for row in rows for one in flat(row)]


def flat(row):
    """A row of lists as the rows that a chart makes of it."""
    lists = {name for name, value in row.items() if isinstance(value, list)}
    if not lists:
        return [row]
    [length] = {len(row[name]) for name in lists}
    return [{name: v[i] if name in lists else v for name, v in row.items()} | {"i": i} for i in range(length)]


def line(spec, series):
    """Return the corners of one line, from its first to its last."""
    found = [row for row in rows_of(spec) if row.get("series") == series and "width" in row]
    return [(row["x"], row["y"]) for row in sorted(found, key=lambda row: row["i"])]


def series_of(spec):
    """Return the rows of the lines, in the order in which they are drawn."""
    return [row for rows in spec["datasets"].values() for row in rows if "width" in row]
