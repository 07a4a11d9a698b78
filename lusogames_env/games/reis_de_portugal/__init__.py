"""Reis de Portugal: a trick-taking game about the kings and queens of Portugal, for 2 to 4 players."""
