"""Input from users: frames, files, systems, sessions, the TREC Session Track."""
