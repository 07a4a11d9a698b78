"""Portão para o mundo, Lisboa: merchants of Lisbon trade with West Africa for the favour of four Kings."""
