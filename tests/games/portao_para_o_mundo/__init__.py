"""Tests of portao_para_o_mundo."""
