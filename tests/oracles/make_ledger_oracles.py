"""Freeze what other tools say, for the ledger: `python make_ledger_oracles.py` beside the tools that are to be asked.

Tools that are not installed keep the answers that stand in ledger.json. Packages of R are asked through Rscript,
and Spark needs Java. No test needs any of these: those that come with the tests are run live too.
"""

import json
import math
import subprocess
import sys
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

FILE = Path(__file__).with_name("ledger.json")


def written(value):
    return None if math.isnan(value) else float(f"{value:.15g}")


def make_answers():
    from ledger_peers import PEERS, data_sets

    found = json.loads(FILE.read_text()) if FILE.exists() else {"made_with": {}, "answers": {}}
    sets = data_sets()
    found["sets"] = [
        {"labels": y.tolist(), "scores": s.tolist(), "weights": None if w is None else w.tolist()} for y, s, w in sets
    ]
    for name, (ask, package) in PEERS.items():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        try:
            answers = [ask(*one) for one in sets]
            found["made_with"][name] = version(package) if package else "R"
        except (ImportError, OSError, PackageNotFoundError, subprocess.CalledProcessError) as error:
            sys.stderr.write(f"{name}: {error}\n")
            continue
        found["answers"][name] = {key: [written(float(one[key])) for one in answers] for key in answers[0]}
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    FILE.write_text(json.dumps(make_answers()).replace('}, "', '},\n"').replace('], "', '],\n"') + "\n")
