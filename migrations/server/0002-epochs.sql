-- A store that was put back from a backup begins a new epoch: where the ones before ended.

-- In one volume: what `epoch` committed after `last` is lost; the next epoch goes on at `first`. Blocks that the lost part gave have
-- uniquifiers from `lost_from` to `lost_to`, and nobody knows whose they were.
CREATE TABLE epoch_cut (
  epoch     TEXT NOT NULL,
  volume    INTEGER NOT NULL REFERENCES volume (id),
  last      INTEGER NOT NULL,
  first     INTEGER NOT NULL,
  lost_from INTEGER NOT NULL,
  lost_to   INTEGER NOT NULL,
  PRIMARY KEY (epoch, volume)
) WITHOUT ROWID, STRICT;

-- Device 0 may hold a lease from now on: one that was paired in the lost part, and so has no row.
CREATE TABLE lease_of_any (
  device INTEGER PRIMARY KEY
) STRICT;
INSERT INTO lease_of_any SELECT device FROM lease;
DROP TABLE lease;
ALTER TABLE lease_of_any RENAME TO lease;
