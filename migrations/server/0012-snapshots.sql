-- Named points in the history of a volume: nothing is copied (rule H1), and collection keeps what they show (rule H2).

CREATE TABLE snapshot (
  volume  INTEGER NOT NULL REFERENCES volume (id),
  name    TEXT NOT NULL,
  -- The newest commit when it was made: it shows the volume as of that one.
  number  INTEGER NOT NULL,
  -- The life of the history in which it was made: a copy of what it shows is kept under both (rule H3).
  epoch   TEXT NOT NULL,
  made_ms REAL NOT NULL,
  PRIMARY KEY (volume, name)
) WITHOUT ROWID, STRICT;
