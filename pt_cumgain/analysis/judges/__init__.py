"""Several judges: agreement on labels and conclusions, and corrections by a few human judgments."""
