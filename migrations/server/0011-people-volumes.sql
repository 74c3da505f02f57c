-- People and volumes are made, named and removed by an administrator.

-- The number of the volume that is for this person: what a new device of theirs shows if nobody says which. NULL: none.
ALTER TABLE user ADD COLUMN home INTEGER;
-- When the person was removed. The row stays: devices name it. None of these is admitted.
ALTER TABLE user ADD COLUMN removed_ms REAL;
-- The number of the person whose volume it is. NULL: nobody's.
ALTER TABLE volume ADD COLUMN owner INTEGER;
-- When it was removed: a tombstone with all that is in it, for the time of retention (removed-volumes.ts). Nobody sees it until it is restored.
ALTER TABLE volume ADD COLUMN removed_ms REAL;
-- The first user and the first volume were made for each other.
UPDATE volume SET owner = 1 WHERE id = 1 AND EXISTS (SELECT 1 FROM user WHERE id = 1);
UPDATE user SET home = 1 WHERE id = 1 AND EXISTS (SELECT 1 FROM volume WHERE id = 1);
DELETE FROM row_seal WHERE of IN ('user', 'volume') OR (of = 'sealed' AND key IN ('user', 'volume'));
