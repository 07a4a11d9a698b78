"""Tests of anno_domini."""
