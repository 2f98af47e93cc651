# The public names, listed once: type checkers read them here, and cutline/__init__.py loads each when it is first used.
from . import (
    advice as advice,
    calibration as calibration,
    charts as charts,
    curves as curves,
    examples as examples,
    ledger as ledger,
    measures as measures,
    training as training,
)
from .advice import Note as Note, Recommendation as Recommendation, Situation as Situation, advise as advise
from .calibration import (
    Calibration as Calibration,
    Plan as Plan,
    Recalibration as Recalibration,
    Worth as Worth,
    plan as plan,
    recalibrate as recalibrate,
    worth_recalibrating as worth_recalibrating,
)
from .calibration.model import CalibratedModel as CalibratedModel
from .charts import CHARTS as CHARTS, Picture as Picture, chart as chart
from .multiclass.compare import ClassComparison as ClassComparison, compare_classes as compare_classes
from .multiclass.one_vs_rest import OneVsRest as OneVsRest, one_vs_rest as one_vs_rest
from .comparison import Comparison as Comparison, compare as compare
from .core.errors import (
    CutlineError as CutlineError,
    InputError as InputError,
    NotProbabilitiesError as NotProbabilitiesError,
    ParameterError as ParameterError,
    UnavailableError as UnavailableError,
    UnknownNameError as UnknownNameError,
)
from .core.ranking import Bracket as Bracket, Ranking as Ranking
from .core.table import Table as Table
from .cross_validation import (
    CrossValidation as CrossValidation,
    NestedCrossValidation as NestedCrossValidation,
    cross_validate as cross_validate,
)
from .curves import CURVES as CURVES, Curve as Curve
from .cuts.choice import choose_cut as choose_cut
from .cuts.cut_classifier import CutClassifier as CutClassifier
from .cuts.cut import Cut as Cut
from .cuts.placed import cut_at as cut_at
from .cuts.utility import (
    UtilityCurve as UtilityCurve,
    brier_curve as brier_curve,
    cost_curve as cost_curve,
    decision_curve as decision_curve,
    decision_difference as decision_difference,
    profit_curve as profit_curve,
)
from .dataset_comparison import DatasetComparison as DatasetComparison, compare_datasets as compare_datasets
from .evaluation import Evaluation as Evaluation, evaluate as evaluate
from .fold_comparison import FoldComparison as FoldComparison, compare_folds as compare_folds
from .fold_evaluation import FoldEvaluation as FoldEvaluation
from .model_evaluation import evaluate_model as evaluate_model
from .count_comparison import compare_counts as compare_counts
from .independent_comparison import (
    IndependentComparison as IndependentComparison,
    compare_independent as compare_independent,
)
from .inference.triplets import mean_triplet_loss as mean_triplet_loss
from .inference.single.bands import (
    Band as Band,
    band as band,
    calibration_band as calibration_band,
    pr_band as pr_band,
    roc_band as roc_band,
)
from .refit import (
    ModelBootstrap as ModelBootstrap,
    bootstrap_model as bootstrap_model,
    permutation_test as permutation_test,
)
from .inference.differences.mcnemar import Discordance as Discordance, mcnemar as mcnemar
from .inputs.rank import rank as rank
from .ledger import value_as as value_as, why as why
from .loading import load as load
from .measures import MEASURES as MEASURES, Counts as Counts, Measure as Measure, losses as losses
from .measures.check_measure import ContractError as ContractError, check_measure as check_measure
from .measures.losses import triplet_loss as triplet_loss
from .measures.probabilities import information_scores as information_scores
from .measures.quotas import PemAreas as PemAreas, pem_areas as pem_areas
from .measures.scoring_rules import (
    Properness as Properness,
    check_proper as check_proper,
    entropy as entropy,
    expected_reward as expected_reward,
    kl_divergence as kl_divergence,
    ranked_probability_score as ranked_probability_score,
)
from .monitoring import Alarm as Alarm, Monitor as Monitor, monitor as monitor
from .monitoring.expected import Expected as Expected, expected as expected
from .monitoring.score_drift import Drift as Drift, drift as drift
from .own_measures import measure as measure
from .quota_periods import QuotaPeriods as QuotaPeriods
from .results.estimate import Estimate as Estimate
from .scoring import Scorer as Scorer, scorer as scorer
from .slice_search import find_slices as find_slices
from .slices import Slices as Slices
from .training import (
    LinearMeasureClassifier as LinearMeasureClassifier,
    auc_pairs as auc_pairs,
    boosting_loss as boosting_loss,
    boosting_metric as boosting_metric,
)

__version__: str

def __getattr__(name: str) -> Measure: ...  # every measure, by its name or alias
