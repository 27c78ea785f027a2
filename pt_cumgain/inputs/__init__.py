"""What users pass in: frames, files, systems, sessions, the TREC Session Track."""
