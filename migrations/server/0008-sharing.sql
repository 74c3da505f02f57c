-- What users say of who uses a file or folder. Not versioned: it is about now, as promises are.

CREATE TABLE sharing (
  volume     INTEGER NOT NULL,
  vnode      INTEGER NOT NULL,
  uniquifier INTEGER NOT NULL,
  -- 'shared' or 'unshared'; without a row the share monitor decides.
  wanted     TEXT NOT NULL CHECK (wanted IN ('shared', 'unshared')),
  PRIMARY KEY (volume, vnode, uniquifier)
) WITHOUT ROWID, STRICT;
