-- The metadata of a server. Contents lie beside it in files.
--
-- Metadata is versioned: a row of `vnode` or `entry` holds from the commit `from_commit` on, and up to but not
-- including `to_commit` (NULL: it is the present one). So a snapshot of a volume is the number of a commit.
-- A fid is (volume, vnode, uniquifier). Times named `..._ms` are wall time in milliseconds since 1970.

-- Facts about the server as a whole: 'epoch' (the life of its history, 32 hex digits).
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE volume (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  -- The newest commit.
  head INTEGER NOT NULL
) STRICT;

CREATE TABLE vnode (
  volume      INTEGER NOT NULL,
  vnode       INTEGER NOT NULL,
  uniquifier  INTEGER NOT NULL,
  from_commit INTEGER NOT NULL,
  to_commit   INTEGER,
  -- Its place among the vnodes of its commit: the change feed tells them in this order.
  ordinal     INTEGER NOT NULL,
  -- 'file', 'directory', 'symlink'
  kind        TEXT NOT NULL,
  -- Permission bits.
  mode        INTEGER NOT NULL,
  -- Nanoseconds since 1970 as decimal text: they exceed what a JavaScript number holds exactly.
  mtime       TEXT NOT NULL,
  -- Bytes of a file or of a symlink's target; 0 for a directory.
  size        INTEGER NOT NULL,
  -- The data version: +1 with each store or directory change.
  version     INTEGER NOT NULL,
  -- BLAKE3-256 of a file's contents in hex; NULL: it has none yet, or is no file.
  digest      TEXT,
  -- A symlink's target.
  target      TEXT,
  -- How many names it has; 0: it has ended. That row stays, so that the fid is never given again.
  links       INTEGER NOT NULL,
  -- How many entries a directory has.
  entries     INTEGER NOT NULL,
  -- User extended attributes as JSON, [[name, base64], ...]; NULL: none.
  xattrs      TEXT,
  -- The last row of a fid is its present one, so a look-up is one descent of this tree.
  PRIMARY KEY (volume, vnode, uniquifier, from_commit)
) WITHOUT ROWID, STRICT;

-- One present row for each fid; snapshots as of the newest commit read no others.
CREATE UNIQUE INDEX vnode_present ON vnode (volume, vnode, uniquifier) WHERE to_commit IS NULL;
-- The change feed reads vnodes by commit.
CREATE INDEX vnode_by_commit ON vnode (volume, from_commit, ordinal);

-- A name in a directory. A name that is free has no row with `to_commit` NULL.
CREATE TABLE entry (
  volume         INTEGER NOT NULL,
  dir_vnode      INTEGER NOT NULL,
  dir_uniquifier INTEGER NOT NULL,
  -- Written so that the order of its bytes is the order of its UTF-16 code units (sort-name.ts).
  name           TEXT NOT NULL,
  from_commit    INTEGER NOT NULL,
  to_commit      INTEGER,
  vnode          INTEGER NOT NULL,
  uniquifier     INTEGER NOT NULL,
  PRIMARY KEY (volume, dir_vnode, dir_uniquifier, name, from_commit)
) WITHOUT ROWID, STRICT;

-- One present row for each name; listings as of the newest commit read no others.
CREATE UNIQUE INDEX entry_present ON entry (volume, dir_vnode, dir_uniquifier, name) WHERE to_commit IS NULL;
-- The names of a vnode: the way up from a directory, and snapshots.
CREATE INDEX entry_by_vnode ON entry (volume, vnode, uniquifier, to_commit);
-- The change feed reads entries by the commit that set them and the one that freed them.
CREATE INDEX entry_by_from ON entry (volume, from_commit);
CREATE INDEX entry_by_to ON entry (volume, to_commit) WHERE to_commit IS NOT NULL;

-- Who made each commit. Device 0: the server itself.
CREATE TABLE commit_log (
  volume  INTEGER NOT NULL,
  number  INTEGER NOT NULL,
  device  INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  when_ms REAL NOT NULL,
  PRIMARY KEY (volume, number)
) WITHOUT ROWID, STRICT;

-- The answers to updates, for a device that asks again; kept above its low water.
CREATE TABLE applied (
  device INTEGER NOT NULL,
  seq    INTEGER NOT NULL,
  -- An UpdateResult as JSON.
  result TEXT NOT NULL,
  PRIMARY KEY (device, seq)
) WITHOUT ROWID, STRICT;

-- Vnodes about to be changed, by which update.
CREATE TABLE dirty (
  device     INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  volume     INTEGER NOT NULL,
  vnode      INTEGER NOT NULL,
  uniquifier INTEGER NOT NULL,
  PRIMARY KEY (device, seq)
) WITHOUT ROWID, STRICT;

CREATE TABLE user (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE device (
  id                   INTEGER PRIMARY KEY,
  -- SHA-256 of its certificate, hex.
  fingerprint          TEXT NOT NULL UNIQUE,
  name                 TEXT NOT NULL,
  user                 INTEGER NOT NULL REFERENCES user (id),
  created_ms           REAL NOT NULL,
  revoked_ms           REAL,
  -- The incarnations of its data folder: the one it has, and the one before.
  incarnation          TEXT NOT NULL,
  previous_incarnation TEXT,
  last_hello_ms        REAL NOT NULL,
  -- It has the answers of all updates below, and needs them no more.
  low_water            INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Devices that may hold a lease: a server that starts must wait for them.
CREATE TABLE lease (
  device INTEGER PRIMARY KEY REFERENCES device (id)
) STRICT;

-- What users may do: 'read', or 'write' (which includes it).
CREATE TABLE access (
  user   INTEGER NOT NULL REFERENCES user (id),
  volume INTEGER NOT NULL REFERENCES volume (id),
  rights TEXT NOT NULL,
  PRIMARY KEY (user, volume)
) WITHOUT ROWID, STRICT;

CREATE TABLE invitation (
  id          TEXT PRIMARY KEY,
  -- SHA-256 of the secret, hex. The secret itself is nowhere.
  secret_hash TEXT NOT NULL,
  user        INTEGER NOT NULL REFERENCES user (id),
  volume      INTEGER NOT NULL REFERENCES volume (id),
  rights      TEXT NOT NULL,
  created_ms  REAL NOT NULL,
  expires_ms  REAL NOT NULL,
  -- The fingerprint of the device that used it, and when.
  redeemed_by TEXT,
  redeemed_ms REAL
) WITHOUT ROWID, STRICT;

-- Vnode numbers given to devices, for files made offline.
CREATE TABLE block (
  volume     INTEGER NOT NULL,
  uniquifier INTEGER NOT NULL,
  first      INTEGER NOT NULL,
  count      INTEGER NOT NULL,
  device     INTEGER NOT NULL,
  PRIMARY KEY (volume, uniquifier)
) WITHOUT ROWID, STRICT;

-- Contents that some vnode names or named.
CREATE TABLE content (
  digest TEXT PRIMARY KEY,
  size   INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
