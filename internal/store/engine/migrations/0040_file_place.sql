-- Where the contents of files are: the place has a mark of this name. A node that looks
-- elsewhere would answer that files are missing, so it does not start. At most one row. It is
-- in no backup, because the files of a restored copy are somewhere else.

CREATE TABLE file_place (
	id         INTEGER PRIMARY KEY CHECK (id = 1),
	mark       TEXT NOT NULL,
	place      TEXT NOT NULL, -- where that was, for messages
	created_at BIGINT NOT NULL
);
