-- Snapshots that the server makes by itself: at most one of each hour, day or week, of which the newest are kept.

CREATE TABLE snapshot_schedule (
  volume    INTEGER NOT NULL REFERENCES volume (id),
  -- 'hourly', 'daily' or 'weekly'.
  every     TEXT NOT NULL,
  -- So many of its snapshots are kept.
  keep      INTEGER NOT NULL,
  -- The beginning (UTC) of the hour, day or week that was looked after last; NULL: none was yet.
  period_ms REAL,
  PRIMARY KEY (volume, every)
) WITHOUT ROWID, STRICT;

-- Which snapshots a schedule made, and so may remove. A row without a snapshot means nothing.
CREATE TABLE scheduled_snapshot (
  volume    INTEGER NOT NULL REFERENCES volume (id),
  name      TEXT NOT NULL,
  -- As above; or 'yesterday': another name of the newest that was made on the day before.
  every     TEXT NOT NULL,
  -- The beginning of its hour, day or week; of 'yesterday': of the day on which that was so.
  period_ms REAL NOT NULL,
  PRIMARY KEY (volume, name)
) WITHOUT ROWID, STRICT;
