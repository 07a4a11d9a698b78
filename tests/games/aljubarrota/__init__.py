"""Tests of aljubarrota."""
