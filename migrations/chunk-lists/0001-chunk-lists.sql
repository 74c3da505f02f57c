-- Chunk lists of contents that the server has too: what makes a delta of a later version. All of it may be lost without harm.
CREATE TABLE chunk_list (
  digest TEXT PRIMARY KEY,            -- BLAKE3-256 of the contents
  list BLOB NOT NULL,                 -- as the Delta port gives it
  bytes INTEGER NOT NULL,             -- length of the list
  used INTEGER NOT NULL               -- grows with each use: the lowest goes first
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX chunk_list_by_use ON chunk_list (used);
