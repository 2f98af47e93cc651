# Freezes what R's survey package says of shares and ratios under sampling weights, strata and clusters.
# Rscript tests/oracles/make_survey_oracles.R > tests/oracles/survey.json
suppressPackageStartupMessages(library(survey))
n <- 60
i <- 0:(n - 1)
d <- data.frame(
  label = as.integer((7 * i) %% 11 < 4),
  score = ((13 * i + 5) %% 29) / 29 + 0.25 * ((7 * i) %% 11 < 4),
  weight = 1 + ((5 * i) %% 7) * (1 + (i %% 3)),
  stratum = i %/% 20,
  cluster = i %/% 4
)
d$flagged <- as.integer(d$score >= 0.6)
d$right <- as.integer(d$flagged == d$label)
number <- function(x) formatC(x, digits = 15, format = "g")
designs <- list(
  weights = svydesign(ids = ~1, weights = ~weight, data = d),
  strata = svydesign(ids = ~1, strata = ~stratum, weights = ~weight, data = d),
  clusters = svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, data = d)
)
rows <- c()
for (name in names(designs)) {
  s <- designs[[name]]
  asked <- list(
    accuracy = svymean(~right, s),
    prevalence = svymean(~label, s),
    recall = svyratio(~I(flagged * label), ~label, s),
    precision = svyratio(~I(flagged * label), ~flagged, s),
    specificity = svyratio(~I((1 - flagged) * (1 - label)), ~I(1 - label), s)
  )
  for (measure in names(asked)) {
    one <- asked[[measure]]
    rows <- c(rows, sprintf('    ["%s", "%s", %s, %s, %d]', name, measure, number(coef(one)[[1]]),
                            number(SE(one)[[1]]), as.integer(degf(s))))
  }
}
cat("{\n")
cat(sprintf('  "made_with": "R %s, survey %s",\n', paste(R.version$major, R.version$minor, sep = "."),
            as.character(packageVersion("survey"))))
cat('  "columns": ["design", "measure", "value", "standard error", "degrees of freedom"],\n')
cat(paste0('  "rows": [\n', paste(rows, collapse = ",\n"), "\n  ]\n}\n"))
