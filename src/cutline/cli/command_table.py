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
        """The text of `cutline NAME --help`."""
        return "\n\n".join((self.help, *self.more))


COMMANDS = (
    Entry(
        "evaluate",
        JUDGE,
        "Example: cutline evaluate predictions.csv --label y --score p --quota 100",
        "Evaluate one model: what it gets right, every number with its interval, and what to know about them.",
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
        "Compare slices of the cases, such as sites: who is served worse, by how much, and how sure that is.",
        ("With --find, slices are searched: conjunctions of conditions on columns, adjusted for the whole search.",),
        first=("--label", "--score", "--positive", "--by", "--measure"),
    ),
    Entry(
        "datasets",
        JUDGE,
        "Example: cutline datasets results.csv --html datasets.html",
        "Compare models over several data sets: mean ranks, Friedman's test, and the test of each pair.",
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
            "With --undecided, values are judged by their intervals; one that holds the bound inside is undecided.",
        ),
        first=("--label", "--score", "--positive", "--require", "--junit"),
    ),
    Entry(
        "monitor",
        JUDGE,
        "Example: cutline monitor may.ranking june.ranking --measure recall --worse-by 0.05",
        "Whether a model has become worse since its release, from daily rankings; exit 1 while an alarm is open.",
        (
            "The tests may be looked at every day: a false alarm in all time has a probability of at most 5 %.",
            "Days are ranking files named after their dates, as `cutline rank` writes them; --state keeps them.",
        ),
        first=("--measure", "--worse-by", "--cut", "--state", "--html"),
    ),
    Entry(
        "drift",
        JUDGE,
        "Example: cutline drift predictions.csv old.csv --score p --threshold 0.5",
        "Whether the scores of two periods have the same distribution: PSI with its critical value, and "
        "Kolmogorov-Smirnov.",
        ("No labels are needed; with --label, the measures of both periods are compared too; --no-worse is a gate.",),
        first=("--score", "--label", "--threshold", "--html"),
    ),
    Entry(
        "cut",
        DECIDE,
        "Example: cutline cut predictions.csv --label y --score p --require 'recall >= 0.9' -o cut.json",
        "Choose a cut, and say what can be promised about it on future cases.",
        (_PROMISES,),
        first=("--label", "--score", "--positive", "--require", "--output"),
    ),
    Entry(
        "chart",
        JUDGE,
        "Examples: cutline chart --list; cutline chart predictions.csv roc --label y --score p -o roc.svg",
        "Draw any chart of one model or several, as a file for a paper, a slide or a page.",
        ("A chart of one model is drawn of each when several columns of scores are named.",),
        first=("--label", "--score", "--positive", "--list", "--output"),
    ),
    Entry(
        "rank",
        LARGE,
        "Example: cutline rank 'preds/*.parquet' --label y --score p -o monday.ranking",
        "Make the ranking of predictions and write it to a file: small, exact, and all that an evaluation needs.",
        first=("--label", "--score", "--positive", "--output"),
    ),
    Entry(
        "merge",
        LARGE,
        "Example: cutline merge monday.ranking tuesday.ranking -o week.ranking",
        "Add up ranking files: the result is the ranking of all their cases, in whatever order they are given.",
    ),
    Entry(
        "sql",
        LARGE,
        "Example: cutline sql --label y --score p --from shop.predictions --dialect bigquery",
        "Print the query that makes a ranking in a warehouse; `cutline evaluate --ranking-csv` reads its result.",
        first=("--label", "--score", "--from", "--dialect"),
    ),
    Entry(
        "apply",
        DECIDE,
        "Example: cutline apply cut.json new.csv --score p -o flagged.csv",
        "Flag new cases by a cut, or recalibrate their probabilities: a copy of the file with one more column.",
        first=("--score", "--output"),
    ),
    Entry(
        "gains",
        DECIDE,
        "Example: cutline gains predictions.csv --label y --score p -o gains.csv",
        "The gains table: each tenth of the list with its cases, positives, rate, lift, what is found so far, and KS.",
        first=("--label", "--score", "--positive", "--portions", "--output"),
    ),
    Entry(
        "utility",
        DECIDE,
        "Example: cutline utility predictions.csv --label y --score p --kind profit --value 60 --cost 9",
        "What decisions by the model are worth: decision, cost, Brier and profit curves, with bands and intervals.",
        first=("--label", "--score", "--positive", "--kind", "--output"),
    ),
    Entry(
        "recalibrate",
        JUDGE,
        "Example: cutline recalibrate predictions.csv --label y --score p --method beta -o model.json",
        "Fit a map from the probabilities of a model to better ones, or say whether it is worth it.",
        ("Without --method, the methods are compared on cases that they were not fitted on.",),
        first=("--label", "--score", "--positive", "--method", "--output"),
    ),
    Entry(
        "plan",
        DECIDE,
        "Example: cutline plan --prevalence 0.1 --auc 0.75 --auc-width 0.1 --slope-width 0.4",
        "How many cases a validation study needs, for the wanted widths of intervals or power of tests.",
        first=("--prevalence", "--auc", "--auc-width", "--slope-width"),
    ),
    Entry(
        "why",
        JUDGE,
        "Example: cutline why predictions.csv --label y --score p --measure auc --value 0.8731",
        "Why two tools give two numbers: which convention, of which tool, gives the number that you have.",
        (
            "With two files: what differs between them, and which difference explains that of the measure.",
            "Pass --score twice for tests of two models (--measure mcnemar), and --group for means over folds.",
        ),
        first=("--label", "--score", "--positive", "--measure", "--value"),
    ),
    Entry(
        "app",
        JUDGE,
        "Example: cutline app",
        "Open the app in the browser: choose a file, and get the report, a cut with a promise and the flagged file.",
        (
            "No Python and no options are needed: CSV, Excel and Parquet files, on this machine alone.",
            "The server ends when its last page is closed, by the button of the page, or by Ctrl-C.",
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
            "Whoever opens it drops a file or pastes columns, and sees measures, charts, the cut and its promises.",
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
        "Which measures to use in your situation, and why; asks what it is, or takes it from the options.",
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
        "Run a published experiment again: its tables and figures, and which numbers agree with the text.",
        first=("--list", "--quick", "--out"),
    ),
)
