"""Corpora as streams of documents: text, JSON lines, Parquet, dataset folders, MediaWiki dumps."""
