"""Models in other languages: the same reading of cells, and the same answers, everywhere."""
