"""BVF on the generator's side: contexts mined from corpora, filled with subjects."""
