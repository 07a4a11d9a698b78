"""The smallest complete game, made as docs/adding_a_game.md says: proof that a game is only a folder."""
