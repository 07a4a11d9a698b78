"""Errors of training that a user can cause."""

from __future__ import annotations

from lusogames_env.engine.errors import LusogamesError


class ConfigError(LusogamesError):
    """A configuration file or an override on the command line that no run can be made from."""


class AgentError(LusogamesError):
    """A saved agent that is missing, damaged, hostile, or made for something else."""


class CheckpointError(LusogamesError):
    """A run folder without a complete checkpoint, or one that does not fit its configuration."""


class TournamentError(LusogamesError):
    """A folder in which a tournament cannot be played or go on."""


class FolderError(LusogamesError):
    """A folder that another process works in, or that nothing can be written to."""


class ProcessError(LusogamesError):
    """A process that worked for this one has died."""


class ResultsError(LusogamesError):
    """A results table that is missing, damaged, or of another version."""
