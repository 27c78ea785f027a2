"""The names of tests and corrections, which the command line lists without importing them."""

#: Corrections for many pairs, as scikit-posthocs names them, and their names in a sentence.
CORRECTIONS = {
    "bonferroni": "Bonferroni",
    "sidak": "Sidak",
    "holm-sidak": "Holm–Sidak",
    "holm": "Holm",
    "simes-hochberg": "Hochberg",
    "hommel": "Hommel",
    "fdr_bh": "Benjamini–Hochberg",
    "fdr_by": "Benjamini–Yekutieli",
    "fdr_tsbh": "two-stage Benjamini–Hochberg",
    "fdr_tsbky": "two-stage Benjamini–Krieger–Yekutieli",
    "single-step": "single-step",
}

#: The tests of pairs of systems, and their names in a sentence.
PAIR_TESTS = {
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "randomisation": "paired randomisation test",
    "tukey": "Tukey's HSD test",
    "randomised-tukey": "randomised Tukey HSD test",
    "conover": "Conover's post-hoc test",
    "equivalence": "two one-sided t-tests",
    "welch": "Welch's t-test",
    "mann-whitney": "Mann–Whitney U test",
}
