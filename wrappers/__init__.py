"""Views of the games for single-agent, cooperative and vectorised training (import name ``lusogames_env.wrappers``)."""
