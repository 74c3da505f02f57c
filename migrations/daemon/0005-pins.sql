-- Grows with each use of a content: the order in which they are evicted.
ALTER TABLE content ADD COLUMN used INTEGER NOT NULL DEFAULT 0;

-- Contents that are to be here always.
CREATE TABLE pin (
  fid TEXT PRIMARY KEY,               -- of a file, or of a folder with all that is in it
  since INTEGER NOT NULL              -- wall time, milliseconds since 1970
) STRICT, WITHOUT ROWID;
