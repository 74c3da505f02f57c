-- A device tells of updates that it can't send yet. Of one vnode it may have many, so a mark is one for each device and vnode, and
-- names the last update; those of a directory have no order, and its mark ends when the device says so.

CREATE TABLE mark (
  device     INTEGER NOT NULL,
  volume     INTEGER NOT NULL,
  vnode      INTEGER NOT NULL,
  uniquifier INTEGER NOT NULL,
  -- The mark ends with this update. NULL: when the device says so.
  seq        INTEGER,
  PRIMARY KEY (device, volume, vnode, uniquifier)
) WITHOUT ROWID, STRICT;
INSERT INTO mark SELECT device, volume, vnode, uniquifier, max(seq) FROM dirty
  GROUP BY device, volume, vnode, uniquifier;
DROP TABLE dirty;
ALTER TABLE mark RENAME TO dirty;
