"""How far values can be trusted: intervals, missing judgments and ties."""
