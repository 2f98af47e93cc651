"""What every view shows: estimates, notes and summaries, computed once."""
