# %% [markdown]
# # For users of scikit-learn
#
# You have a fitted classifier and a test set. In one call you get every measure with an interval, and a few lines later
# a threshold that you can defend.

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cutline as cl

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=1, stratify=y)
logistic = make_pipeline(StandardScaler(), LogisticRegression(C=0.05)).fit(X_train, y_train)
forest = RandomForestClassifier(100, random_state=1).fit(X_train, y_train)

# %% [markdown]
# ## Evaluate
#
# `evaluate_model` takes the probabilities of the class that you call positive.

# %%
ev = cl.evaluate_model(logistic, X_test, y_test, positive="malignant")
ev

# %% [markdown]
# Any measure is an attribute. `estimate` adds the interval, the method behind it, and what to know about it.

# %%
print(ev.estimate("average_precision"))
ev.chart("roc")

# %% [markdown]
# ## Compare
#
# The models saw the same cases, so their difference is more certain than the two values alone.

# %%
column = list(logistic.classes_).index("malignant")
scores = {
    "logistic": logistic.predict_proba(X_test)[:, column],
    "forest": forest.predict_proba(X_test)[:, column],
}
cmp = cl.compare(y_test, scores, positive="malignant")
cmp.summary(["auc", "brier", "recall"])

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
