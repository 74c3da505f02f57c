-- What a front end gave with a call that told what it had found on its disk, kept in the transaction of the update: after a crash it knows
-- what it had told. A row goes when the front end has that in records of its own.
CREATE TABLE note (
  -- The front end's own number; later calls have higher ones.
  id      INTEGER PRIMARY KEY,
  -- The front end's own words.
  text    TEXT NOT NULL,
  -- The vnode that the call was about, as the front end was told.
  fid     TEXT NOT NULL,
  -- The data version that the front end was told of; 0 where the call told no contents.
  version INTEGER NOT NULL
) STRICT;
