"""Where the time of a case goes: one process, watched from inside."""
