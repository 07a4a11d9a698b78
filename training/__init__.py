"""Training, evaluation and the command line (import name ``lusogames_env.training``)."""
