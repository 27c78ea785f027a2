"""How far values can be trusted: intervals, missing judgments, ties."""
