"""The commands: what `cutline --help` says of each, and which options most people need. Loads nothing."""

from __future__ import annotations

from typing import NamedTuple

# The groups of commands that --help shows.
JUDGE, DECIDE, LARGE, LEARN = (
    "How good is it?",
    "Where to draw the line?",
    "Large data and other tools",
    "Learn",
)

# The groups of options that a command's help shows first and last.
FIRST, OUTPUT, READING = "Start here", "Print and write", "Read large or unusual files"

_PROMISES = (
    "Promises: 'recall >= 0.9', 'fpr <= 0.05', 'precision >= 0.5', 'share <= 0.02'. Exit 1 when no cut keeps them."
)


class Entry(NamedTuple):
    """A command: a function in the module of its name."""

    name: str
    panel: str
    example: str
    help: str
    more: tuple[str, ...] = ()  # paragraphs that its own help has besides
    first: tuple[str, ...] = ()  # the options that most people need, which its help shows first

    @property
    def whole_help(self) -> str:
        """Text of `cutline NAME --help`."""
        return "\n\n".join((self.help, *self.more))


COMMANDS = (
    Entry(
        "evaluate",
        JUDGE,
        "Example: cutline evaluate predictions.csv --label y --score p --quota 100",
        "Evaluate one model: what it gets right, every number with its interval, and notes on what to watch for.",
        first=("--label", "--score", "--positive", "--quota", "--html"),
    ),
    Entry(
        "compare",
        JUDGE,
        "Example: cutline compare predictions.csv --label y --score model_a --score model_b",
        "Compare models on the same cases: differences with intervals, and whether they are significant.",
        first=("--label", "--score", "--id", "--positive", "--html"),
    ),
    Entry(
        "slices",
        JUDGE,
        "Example: cutline slices predictions.csv --label y --score p --by site --gap",
        "Compare slices of the cases, such as sites: which ones do worse, by how much, and how certain that is.",
        ("With --find, search for slices: combinations of conditions on columns, adjusted for the whole search.",),
        first=("--label", "--score", "--positive", "--by", "--measure"),
    ),
    Entry(
        "datasets",
        JUDGE,
        "Example: cutline datasets results.csv --html datasets.html",
        "Compare models over several data sets: mean ranks, Friedman's test, and a test of each pair.",
        first=("--control", "--lower-is-better", "--html"),
    ),
    Entry(
        "check",
        JUDGE,
        "Example: cutline check predictions.csv --label y --score p --require 'auc.low >= 0.8'",
        "A gate for continuous integration: exit 1 when a requirement does not hold, 0 when all do.",
        (
            "A requirement sets a bound for a measure, or for its .low or .high limit; put parameters after @.",
            "--no-worse fails when the whole interval of the paired difference is on the worse side.",
            "With --margin it fails unless the whole interval excludes a loss larger than the margin.",
            "With --undecided, values are judged by their intervals; one that contains the bound is undecided.",
        ),
        first=("--label", "--score", "--positive", "--require", "--junit"),
    ),
    Entry(
        "monitor",
        JUDGE,
        "Example: cutline monitor may.ranking june.ranking --measure recall --worse-by 0.05",
        "Test whether a model has become worse since its release, from daily rankings; exit 1 while an alarm is open.",
        (
            "You may look at the tests every day: the probability that they ever raise a false alarm is at most 5 %.",
            "Days are ranking files named after their dates, as `cutline rank` writes them; --state keeps them.",
        ),
        first=("--measure", "--worse-by", "--cut", "--state", "--html"),
    ),
    Entry(
        "drift",
        JUDGE,
        "Example: cutline drift predictions.csv old.csv --score p --threshold 0.5",
        "Test whether the scores of two periods have the same distribution: PSI with its critical value, and "
        "Kolmogorov-Smirnov.",
        ("No labels are needed; with --label, the measures of both periods are compared too; --no-worse is a gate.",),
        first=("--score", "--label", "--threshold", "--html"),
    ),
    Entry(
        "cut",
        DECIDE,
        "Example: cutline cut predictions.csv --label y --score p --require 'recall >= 0.9' -o cut.json",
        "Choose a cut, and state what it guarantees on future cases.",
        (_PROMISES,),
        first=("--label", "--score", "--positive", "--require", "--output"),
    ),
    Entry(
        "chart",
        JUDGE,
        "Examples: cutline chart --list; cutline chart predictions.csv roc --label y --score p -o roc.svg",
        "Draw any chart of one model or several, as a file for a paper, a slide or a page.",
        ("With several columns of scores, a chart of one model is drawn once for each.",),
        first=("--label", "--score", "--positive", "--list", "--output"),
    ),
    Entry(
        "rank",
        LARGE,
        "Example: cutline rank 'preds/*.parquet' --label y --score p -o monday.ranking",
        "Rank predictions and write the ranking to a file: small, exact, and all that an evaluation needs.",
        first=("--label", "--score", "--positive", "--output"),
    ),
    Entry(
        "merge",
        LARGE,
        "Example: cutline merge monday.ranking tuesday.ranking -o week.ranking",
        "Merge ranking files into the ranking of all their cases; the order of the files does not matter.",
    ),
    Entry(
        "sql",
        LARGE,
        "Example: cutline sql --label y --score p --from shop.predictions --dialect bigquery",
        "Print the query that makes a ranking in a data warehouse; `cutline evaluate --ranking-csv` reads its result.",
        first=("--label", "--score", "--from", "--dialect"),
    ),
    Entry(
        "apply",
        DECIDE,
        "Example: cutline apply cut.json new.csv --score p -o flagged.csv",
        "Flag new cases with a cut, or recalibrate their probabilities: writes a copy of the file with one more "
        "column.",
        first=("--score", "--output"),
    ),
    Entry(
        "gains",
        DECIDE,
        "Example: cutline gains predictions.csv --label y --score p -o gains.csv",
        "Print the gains table: for each tenth of the list, its cases, positives, rate, lift, cumulative recall and "
        "KS.",
        first=("--label", "--score", "--positive", "--portions", "--output"),
    ),
    Entry(
        "utility",
        DECIDE,
        "Example: cutline utility predictions.csv --label y --score p --kind profit --value 60 --cost 9",
        "Show what decisions based on the model are worth: decision, cost, Brier and profit curves, with bands and "
        "intervals.",
        first=("--label", "--score", "--positive", "--kind", "--output"),
    ),
    Entry(
        "recalibrate",
        JUDGE,
        "Example: cutline recalibrate predictions.csv --label y --score p --method beta -o model.json",
        "Fit a map that recalibrates the probabilities of a model, or say whether that is worthwhile.",
        ("Without --method, the methods are compared on cases that they were not fitted on.",),
        first=("--label", "--score", "--positive", "--method", "--output"),
    ),
    Entry(
        "plan",
        DECIDE,
        "Example: cutline plan --prevalence 0.1 --auc 0.75 --auc-width 0.1 --slope-width 0.4",
        "Plan how many cases a validation study needs for given widths of intervals or a given power of tests.",
        first=("--prevalence", "--auc", "--auc-width", "--slope-width"),
    ),
    Entry(
        "why",
        JUDGE,
        "Example: cutline why predictions.csv --label y --score p --measure auc --value 0.8731",
        "Explain why two tools give different numbers: which convention of which tool gives the number that you have.",
        (
            "With two files: list what differs between them, and which difference explains the change in the measure.",
            "Pass --score twice for tests of two models (--measure mcnemar), and --group for means over folds.",
        ),
        first=("--label", "--score", "--positive", "--measure", "--value"),
    ),
    Entry(
        "app",
        JUDGE,
        "Example: cutline app",
        "Open the app in the browser: choose a file, and get the report, a cut with a guarantee and the flagged file.",
        (
            "No Python and no options are needed: CSV, Excel and Parquet files, on this machine alone.",
            "The server stops when its last page is closed, when you press the button on the page, or with Ctrl-C.",
        ),
        first=("--port", "--no-browser"),
    ),
    Entry(
        "mcp",
        LARGE,
        "Example: cutline mcp --root predictions",
        "Offer evaluate, compare, check, cut, advise and measures to assistants that speak MCP, over standard input.",
    ),
    Entry(
        "page",
        JUDGE,
        "Example: cutline page -o cutline.html",
        "Write a page for people without Python: one offline HTML file that evaluates CSV and Excel in the browser.",
        (
            "Drop a file on it or paste columns, and see measures, charts, the cut and its guarantees.",
            "Nothing leaves the computer: the page makes no network requests.",
        ),
        first=("--output", "--level"),
    ),
    Entry(
        "measures",
        LEARN,
        "Examples: cutline measures; cutline measures mcc; cutline measures kappa; cutline measures --json",
        "List the measures, or explain one: what it means, its formula, range, and when it is undefined.",
    ),
    Entry(
        "advise",
        LEARN,
        "Example: cutline advise --goal quota --quota-known --missed-costly",
        "Recommend measures for your situation, and say why; describe it with options, or answer questions.",
        first=("--goal", "--prevalence", "--quota-known"),
    ),
    Entry(
        "demo",
        LEARN,
        "Example: cutline demo --html demo.html",
        "Evaluate the predictions that come with the package, and compare two models.",
    ),
    Entry(
        "study",
        LEARN,
        "Examples: cutline study --list; cutline study skew --quick; cutline study quota --data folder",
        "Re-run a published experiment: its tables and figures, and which numbers agree with the paper.",
        first=("--list", "--quick", "--out"),
    ),
)
