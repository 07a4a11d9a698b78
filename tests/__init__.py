"""Tests of lusogames_env."""
