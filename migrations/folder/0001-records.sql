-- What the folder front end last knew to be equal on the disk and in the volume, and what it has still to put in place.

-- One row: where the front end is, and to which folder and volume the rest belongs.
CREATE TABLE state (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- A vnode that is in place on the disk.
CREATE TABLE vnode (
  fid TEXT PRIMARY KEY,
  kind TEXT NOT NULL,                 -- file, directory, symlink
  version INTEGER NOT NULL,           -- data version
  digest TEXT,                        -- of a file's contents
  size INTEGER NOT NULL,              -- bytes
  mode INTEGER NOT NULL,              -- permission bits
  mtime TEXT NOT NULL,                -- nanoseconds since 1970
  target TEXT,                        -- of a symlink
  xattrs TEXT,                        -- JSON list of name and base64 value; null: none
  -- The inode as last put or seen; null: look at it anew.
  disk_inode TEXT,                    -- device (where not the root's), number and time of birth
  disk_size INTEGER,
  disk_mode INTEGER,
  disk_mtime TEXT,                    -- nanoseconds
  disk_ctime TEXT                     -- nanoseconds
) WITHOUT ROWID;

-- A name of a vnode that is in place.
CREATE TABLE entry (
  dir TEXT NOT NULL,                  -- fid of the directory
  name TEXT NOT NULL,
  fid TEXT NOT NULL,
  own INTEGER NOT NULL,               -- 1: logged by us, not yet seen in the feed
  PRIMARY KEY (dir, name)
) WITHOUT ROWID;

-- A name that we took away and that the feed has not yet shown gone.
CREATE TABLE freed (
  dir TEXT NOT NULL,
  name TEXT NOT NULL,
  fid TEXT NOT NULL,                  -- whose name it was
  own INTEGER NOT NULL,               -- 1: by us, and the feed had not shown that either
  PRIMARY KEY (dir, name, fid)
) WITHOUT ROWID;

-- Rows of the feed before the position that are not in place yet; the newest of each.
CREATE TABLE held_vnode (
  fid TEXT PRIMARY KEY,
  status TEXT NOT NULL                -- JSON, as in the feed
) WITHOUT ROWID;

CREATE TABLE held_entry (
  dir TEXT NOT NULL,
  name TEXT NOT NULL,
  fid TEXT,                           -- null: the name is to go
  PRIMARY KEY (dir, name)
) WITHOUT ROWID;
