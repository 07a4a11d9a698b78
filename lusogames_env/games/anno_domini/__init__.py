"""Anno Domini: four players fight for the cathedrals of medieval Europe (Spartaco Albertarelli, 1995)."""
