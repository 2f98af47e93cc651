# %% [markdown]
# # For users of scikit-learn
#
# You have an estimator and data. Cross-validation gives every measure with an interval for the model that you will
# use, the one fitted on all cases; a few lines later you have a threshold that you can defend.

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cutline as cl

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
logistic = make_pipeline(StandardScaler(), LogisticRegression(C=0.05))
forest = RandomForestClassifier(30, random_state=1)

# %% [markdown]
# ## Cross-validate
#
# Any splitter of scikit-learn will do: repeated, grouped, ordered in time. The values are means over the folds. The
# interval allows for training sets that overlap, which a plain standard error over folds does not.

# %%
splits = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=1)
cv = cl.cross_validate(logistic, X, y, cv=splits, positive="malignant")
cv

# %%
print(cv.estimate("average_precision"))
cv.chart("roc")

# %% [markdown]
# Scores that you have already are evaluated with their folds: `cl.evaluate(y, scores, folds=folds)`. Without the folds
# they would pass for scores of one model, and the interval would be too narrow.
#
# Tuning belongs inside the folds. Pass the search itself: it is tuned within each training set.

# %%
search = GridSearchCV(logistic, {"logisticregression__C": [0.01, 1.0]}, scoring="roc_auc", cv=3)
print(cl.cross_validate(search, X, y, cv=3, positive="malignant").estimate("auc"))

# %% [markdown]
# ## Compare recipes on the same folds
#
# The test allows for overlapping training sets. Differences of at most 0.005 count as practically the same here.

# %%
other = cl.cross_validate(forest, X, y, cv=splits, positive="malignant")
folds_cmp = cl.compare_folds(None, {"logistic": cv, "forest": other})
print(folds_cmp.test("auc", rope=0.005))
folds_cmp.chart(rope=0.005)

# %% [markdown]
# ## Evaluate one fitted model
#
# With a test set the question is another one: how good is this very model? `evaluate_model` takes the probabilities of
# the class that you call positive.

# %%
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=1, stratify=y)
logistic.fit(X_train, y_train)
ev = cl.evaluate_model(logistic, X_test, y_test, positive="malignant")
ev

# %% [markdown]
# ## Draw the line
#
# Missing a malignant tumour is worse than a false alarm. Ask for a promise.

# %%
cut = cl.choose_cut(ev, "recall >= 0.9")
print(cut.statement)

# %% [markdown]
# ## In model selection
#
# Every measure is a scorer, for `cross_val_score`, `GridSearchCV` and their like.

# %%
folds = cross_val_score(
    logistic, X_train, y_train, scoring=cl.scorer("net_benefit", threshold=0.2, positive="malignant")
)
print(folds.round(3))
