"""Golden playthroughs: one whole game per variant, as text that a reader of the rulebook can follow.

``python -m tests.golden`` writes them all anew (``python -m tests.golden reis_de_portugal`` those of one game).
"""
