"""Several judges: agreement of labels and of conclusions, few human judgments beside many."""
