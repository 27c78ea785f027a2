"""The names of tests and corrections, which the command line lists without importing them."""

#: Corrections for many pairs, as scikit-posthocs names them.
CORRECTIONS = (
    *("bonferroni", "sidak", "holm-sidak", "holm", "simes-hochberg", "hommel"),
    *("fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "single-step"),
)

#: The tests of pairs of systems, and what they are called in a sentence.
PAIR_TESTS = {
    "t": "paired t test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "randomisation": "paired randomisation test",
    "tukey": "Tukey's HSD",
    "randomised-tukey": "randomised Tukey HSD",
    "conover": "Conover's test after Friedman's",
    "equivalence": "two one-sided t tests",
}
