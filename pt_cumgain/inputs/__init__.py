"""Input from users: measures, systems, frames, and files in several formats."""
