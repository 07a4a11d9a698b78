"""Tests of d_afonso_henriques."""
