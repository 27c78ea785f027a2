"""Whose judgments: agreement of labels and of conclusions, and few human judgments beside many."""
