"""The commands: what `cutline --help` says of each, and the module that is loaded when one is called. Loads nothing."""

from __future__ import annotations

from typing import NamedTuple

# The groups of commands that --help shows.
JUDGE, DECIDE, LARGE, LEARN = (
    "How good is it?",
    "Where to draw the line?",
    "Large data and other tools",
    "Learn",
)


_PROMISES = (
    "Promises: 'recall >= 0.9', 'fpr <= 0.05', 'precision >= 0.5', 'share <= 0.02'. Exit 1 when no cut keeps them."
)


class Entry(NamedTuple):
    """A command: a function of its name."""

    name: str
    module: str  # in this package
    panel: str
    example: str
    help: str
    more: tuple[str, ...] = ()  # paragraphs that its own help has besides

    @property
    def whole_help(self) -> str:
        """What `cutline NAME --help` says."""
        return "\n\n".join((self.help, *self.more))


COMMANDS = (
    Entry(
        "evaluate",
        "judging_commands",
        JUDGE,
        "Example: cutline evaluate predictions.csv --label y --score p --quota 100",
        "Evaluate one model: what it gets right, every number with its interval, and what to know about them.",
    ),
    Entry(
        "compare",
        "judging_commands",
        JUDGE,
        "Example: cutline compare predictions.csv --label y --score model_a --score model_b",
        "Compare models on the same cases: differences with intervals, and whether they are significant.",
    ),
    Entry(
        "slices",
        "judging_commands",
        JUDGE,
        "Example: cutline slices predictions.csv --label y --score p --by site --gap",
        "Compare slices of the cases, such as sites: who is served worse, by how much, and how sure that is.",
        ("With --find, slices are searched: conjunctions of conditions on columns, adjusted for the whole search.",),
    ),
    Entry(
        "check",
        "judging_commands",
        JUDGE,
        "Example: cutline check predictions.csv --label y --score p --require 'auc.low >= 0.8'",
        "A gate for continuous integration: exit 1 when a requirement does not hold, 0 when all do.",
        (
            "A requirement sets a bound for a measure, or for its .low or .high limit; put parameters after @.",
            "--no-worse fails when the whole interval of the paired difference is on the worse side.",
            "With --margin it fails unless the whole interval excludes a loss larger than the margin.",
            "With --undecided, values are judged by their intervals; one that holds the bound inside is undecided.",
        ),
    ),
    Entry(
        "cut",
        "cut_commands",
        DECIDE,
        "Example: cutline cut predictions.csv --label y --score p --require 'recall >= 0.9' -o cut.json",
        "Choose a cut, and say what can be promised about it on future cases.",
        (_PROMISES,),
    ),
    Entry(
        "chart",
        "chart_command",
        JUDGE,
        "Examples: cutline chart --list; cutline chart predictions.csv roc --label y --score p -o roc.svg",
        "Draw any chart of one model or several, as a file for a paper, a slide or a page.",
        ("A chart of one model is drawn of each when several columns of scores are named.",),
    ),
    Entry(
        "rank",
        "ranking_commands",
        LARGE,
        "Example: cutline rank 'preds/*.parquet' --label y --score p -o monday.ranking",
        "Make the ranking of predictions and write it to a file: small, exact, and all that an evaluation needs.",
    ),
    Entry(
        "merge",
        "ranking_commands",
        LARGE,
        "Example: cutline merge monday.ranking tuesday.ranking -o week.ranking",
        "Add up ranking files: the result is the ranking of all their cases, in whatever order they are given.",
    ),
    Entry(
        "sql",
        "ranking_commands",
        LARGE,
        "Example: cutline sql --label y --score p --from shop.predictions --dialect bigquery",
        "Print the query that makes a ranking in a warehouse; `cutline evaluate --ranking-csv` reads its result.",
    ),
    Entry(
        "apply",
        "cut_commands",
        DECIDE,
        "Example: cutline apply cut.json new.csv --score p -o flagged.csv",
        "Flag new cases by a cut, or recalibrate their probabilities: a copy of the file with one more column.",
    ),
    Entry(
        "gains",
        "utility_commands",
        DECIDE,
        "Example: cutline gains predictions.csv --label y --score p -o gains.csv",
        "The gains table: each tenth of the list with its cases, positives, rate, lift, what is found so far, and KS.",
    ),
    Entry(
        "utility",
        "utility_commands",
        DECIDE,
        "Example: cutline utility predictions.csv --label y --score p --kind profit --value 60 --cost 9",
        "What decisions by the model are worth: decision, cost, Brier and profit curves, with bands and intervals.",
    ),
    Entry(
        "recalibrate",
        "calibration_commands",
        JUDGE,
        "Example: cutline recalibrate predictions.csv --label y --score p --method beta -o model.json",
        "Fit a map from the probabilities of a model to better ones, or say whether it is worth it.",
        ("Without --method, the methods are compared on cases that they were not fitted on.",),
    ),
    Entry(
        "plan",
        "calibration_commands",
        DECIDE,
        "Example: cutline plan --prevalence 0.1 --auc 0.75 --auc-width 0.1 --slope-width 0.4",
        "How many cases a validation study needs, for the wanted widths of intervals or power of tests.",
    ),
    Entry(
        "why",
        "why_command",
        JUDGE,
        "Example: cutline why predictions.csv --label y --score p --measure auc --value 0.8731",
        "Why two tools give two numbers: which convention, of which tool, gives the number that you have.",
        (
            "With two files: what differs between them, and which difference explains that of the measure.",
            "Pass --score twice for tests of two models (--measure mcnemar), and --group for means over folds.",
        ),
    ),
    Entry(
        "mcp",
        "mcp_command",
        LARGE,
        "Example: cutline mcp --root predictions",
        "Offer evaluate, compare, check, cut, advise and measures to assistants that speak MCP, over standard input.",
    ),
    Entry(
        "measures",
        "learning_commands",
        LEARN,
        "Examples: cutline measures; cutline measures mcc; cutline measures kappa; cutline measures --json",
        "List the measures, or explain one: what it means, its formula, range, and when it is undefined.",
    ),
    Entry(
        "advise",
        "learning_commands",
        LEARN,
        "Example: cutline advise --goal quota --quota-known --missed-costly",
        "Which measures to use in your situation, and why; asks what it is, or takes it from the options.",
    ),
    Entry(
        "demo",
        "learning_commands",
        LEARN,
        "Example: cutline demo --html demo.html",
        "Evaluate the predictions that come with the package, and compare two models.",
    ),
    Entry(
        "study",
        "learning_commands",
        LEARN,
        "Examples: cutline study --list; cutline study skew --quick; cutline study quota --data folder",
        "Run a published experiment again: its tables and figures, and which numbers agree with the text.",
    ),
)
