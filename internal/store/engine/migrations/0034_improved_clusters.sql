-- Label and summary of a cluster as a language model writes them.

ALTER TABLE conversation_clusters ADD COLUMN improved TEXT NOT NULL DEFAULT ''; -- JSON; empty: none
