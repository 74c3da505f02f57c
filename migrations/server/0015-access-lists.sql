-- Access lists of volumes, and teams: named sets of people. What people may do is worked out of them (shared/model/access-list.ts).

-- A team belongs to the person who made it.
CREATE TABLE team (
  id    INTEGER PRIMARY KEY,
  name  TEXT NOT NULL UNIQUE,
  -- Who may change it; NULL: only who runs the server.
  owner INTEGER REFERENCES user (id),
  -- 1: it is switched off, and counts as empty.
  off   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE team_member (
  team   INTEGER NOT NULL REFERENCES team (id),
  -- 'person' or 'team', and its number.
  kind   TEXT NOT NULL,
  member INTEGER NOT NULL,
  PRIMARY KEY (team, kind, member)
) WITHOUT ROWID, STRICT;

CREATE TABLE access_entry (
  volume    INTEGER NOT NULL REFERENCES volume (id),
  -- As above.
  kind      TEXT NOT NULL,
  principal INTEGER NOT NULL,
  -- 1: these rights are denied, whatever others give.
  negative  INTEGER NOT NULL,
  -- A sum: lookup 1, read 2, insert 4, delete 8, write 16, lock 32, administer 64.
  rights    INTEGER NOT NULL,
  PRIMARY KEY (volume, kind, principal, negative)
) WITHOUT ROWID, STRICT;

-- Rights of before. Whose the volume is may administer it.
INSERT INTO access_entry
  SELECT access.volume, 'person', access.user, 0,
    CASE WHEN rights <> 'write' THEN 3 WHEN volume.owner = access.user THEN 127 ELSE 63 END
  FROM access JOIN volume ON volume.id = access.volume;

-- `access` is what comes of the lists from now on, written anew with each change of them. This is what a device may do beyond or short of `rights`, a sum as
-- above; NULL: just what they say.
ALTER TABLE access ADD COLUMN may INTEGER;
DELETE FROM row_seal WHERE of = 'access' OR (of = 'sealed' AND key = 'access');
