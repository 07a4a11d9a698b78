"""Tests of reis_de_portugal."""
