"""D. Afonso Henriques: villages, battles and dice on the road from Guimarães to Ourique."""
