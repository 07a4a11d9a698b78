"""Tests that belong to one game each."""
