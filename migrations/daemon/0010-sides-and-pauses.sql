-- What was in conflicts.json, pause.json and pause-network.json beside this database. Who loads it for the first time takes old files in.

-- What was at both paths of a conflict when it was found (JSON). NULL: nobody can tell.
ALTER TABLE conflict ADD COLUMN sides TEXT;
UPDATE conflict SET seal = NULL;
DELETE FROM seal WHERE of = 'conflict';

-- What ends a pause by itself. No row: nothing does.
CREATE TABLE pause_end (
  by   TEXT PRIMARY KEY,              -- time, network
  body TEXT NOT NULL,                 -- JSON: until when, or which network is to be left
  seal INTEGER
) STRICT, WITHOUT ROWID;
