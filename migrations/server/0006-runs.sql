-- Who may hold a lease is a run of a daemon, not its device: a copy of its data folder is another run of the same device, and
-- knows nothing of the promises of the first.

-- A server that starts must wait for these.
CREATE TABLE lease_of_run (
  -- 0: any.
  device INTEGER NOT NULL,
  -- As the daemon told; empty: it tells none.
  run    TEXT NOT NULL,
  PRIMARY KEY (device, run)
) WITHOUT ROWID, STRICT;
INSERT INTO lease_of_run SELECT device, '' FROM lease;
DROP TABLE lease;
ALTER TABLE lease_of_run RENAME TO lease;
