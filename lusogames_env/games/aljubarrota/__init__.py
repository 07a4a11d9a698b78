"""Aljubarrota (Gil d'Orey, 2009): the battle of 1385 against cards, for three to six players or one."""
