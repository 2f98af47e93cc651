# Freezes what R's pROC says of independent and paired ROC curves, and R's own McNemar test.
# Rscript tests/oracles/make_roc_oracles.R > tests/oracles/roc_tests.json
suppressPackageStartupMessages(library(pROC))
data(aSAH)
number <- function(x) { x <- as.numeric(x); paste(ifelse(is.na(x), "null", formatC(x, digits = 15, format = "g")), collapse = ", ") }
outcome <- as.integer(aSAH$outcome == "Poor")
women <- aSAH$gender == "Female"
curve <- function(score, some = rep(TRUE, length(score))) roc(outcome[some], score[some], quiet = TRUE, direction = "<", levels = c(0, 1))
s100b <- curve(aSAH$s100b); ndka <- curve(aSAH$ndka); wfns <- curve(as.numeric(aSAH$wfns))
unpaired <- roc.test(curve(aSAH$s100b, women), curve(aSAH$s100b, !women), paired = FALSE, method = "delong")
paired <- roc.test(s100b, ndka, paired = TRUE, method = "delong")
set.seed(1)
venkatraman <- roc.test(s100b, ndka, paired = TRUE, method = "venkatraman", boot.n = 2000, progress = "none")
part <- function(r, range, focus, correct) auc(r, partial.auc = range, partial.auc.focus = focus, partial.auc.correct = correct)
cat("{\n")
cat(sprintf('  "made_with": "R %s, pROC %s",\n', paste(R.version$major, R.version$minor, sep = "."), as.character(packageVersion("pROC"))))
cat(sprintf('  "outcome": [%s],\n  "women": [%s],\n', number(outcome), number(as.integer(women))))
cat(sprintf('  "s100b": [%s],\n  "ndka": [%s],\n  "wfns": [%s],\n', number(aSAH$s100b), number(aSAH$ndka), number(as.numeric(aSAH$wfns))))
cat(sprintf('  "unpaired": {"t": %s, "freedom": %s, "p_value": %s},\n', number(unpaired$statistic), number(unpaired$parameter), number(unpaired$p.value)))
cat(sprintf('  "paired": {"z": %s, "p_value": %s},\n', number(paired$statistic), number(paired$p.value)))
cat(sprintf('  "covariance": [%s],\n', number(c(var(s100b), cov(s100b, ndka), cov(s100b, wfns), var(wfns)))))
cat(sprintf('  "venkatraman": {"statistic": %s, "p_value": %s},\n', number(venkatraman$statistic), number(venkatraman$p.value)))
cat('  "partial": [\n')
rows <- c()
for (name in c("s100b", "ndka", "wfns")) {
  r <- get(name)
  for (range in list(c(1, 0.9), c(0.9, 0.7), c(0.8, 0.5))) {
    rows <- c(rows, sprintf('    ["%s", "specificity", %s, %s, %s]', name, number(range), number(part(r, range, "specificity", FALSE)), number(part(r, range, "specificity", TRUE))))
    rows <- c(rows, sprintf('    ["%s", "sensitivity", %s, %s, %s]', name, number(range), number(part(r, range, "sensitivity", FALSE)), number(part(r, range, "sensitivity", TRUE))))
  }
}
cat(paste(rows, collapse = ",\n")); cat("\n  ],\n")
se <- function(r, at) coords(r, at, input = "specificity", ret = "sensitivity", transpose = FALSE)$sensitivity
sp <- function(r, at) coords(r, at, input = "sensitivity", ret = "specificity", transpose = FALSE)$specificity
cat(sprintf('  "recall_at_specificity": {"s100b": [%s], "ndka": [%s]},\n', number(se(s100b, c(0.9, 0.75, 0.5))), number(se(ndka, c(0.9, 0.75, 0.5)))))
cat(sprintf('  "specificity_at_recall": {"s100b": [%s], "ndka": [%s]},\n', number(sp(s100b, c(0.9, 0.75, 0.5))), number(sp(ndka, c(0.9, 0.75, 0.5)))))
tables <- list(c(8, 1), c(12, 5), c(40, 22), c(3, 3))
mc <- sapply(tables, function(t) mcnemar.test(matrix(c(10, t[2], t[1], 10), 2), correct = TRUE)$p.value)
cat(sprintf('  "mcnemar_corrected": [%s]\n}\n', paste(sprintf("[%d, %d, %s]", sapply(tables, `[`, 1), sapply(tables, `[`, 2), sapply(mc, number)), collapse = ", ")))
