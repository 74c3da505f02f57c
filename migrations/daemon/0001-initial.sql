-- What a daemon knows: what it has learnt from the server, its update log, and what became of both.
-- The daemon loads all of it at the start and writes it through. Columns in JSON are for the program.

-- Single values by name: identity of the server and of this device, counters, settings.
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL                 -- JSON: text, number, boolean or null
) STRICT, WITHOUT ROWID;

CREATE TABLE volume (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  root TEXT NOT NULL,                 -- fid of its root directory
  rights TEXT NOT NULL,               -- read, write
  head INTEGER NOT NULL,              -- the newest commit when the server last said
  caught_up INTEGER NOT NULL,         -- every cached object of it has been told of all commits up to this one
  blocks TEXT NOT NULL                -- JSON list: vnode numbers allocated to us, and how many are given out
) STRICT;

-- A vnode as of a commit: everything but its contents.
CREATE TABLE status (
  fid TEXT PRIMARY KEY,
  kind TEXT NOT NULL,                 -- file, directory, symlink
  mode INTEGER NOT NULL,              -- permission bits
  mtime TEXT NOT NULL,                -- nanoseconds since 1970
  size INTEGER NOT NULL,              -- bytes of a file or of a symlink's target
  version INTEGER NOT NULL,           -- data version
  commit_number INTEGER NOT NULL,     -- that wrote this status
  digest TEXT,                        -- BLAKE3-256 of a file's contents; null: none yet, or no file
  target TEXT,                        -- of a symlink
  links INTEGER NOT NULL,             -- how many names it has
  xattrs TEXT NOT NULL                -- JSON list of name and base64 value
) STRICT, WITHOUT ROWID;

-- A directory that is cached whole; its entries follow.
CREATE TABLE directory (
  fid TEXT PRIMARY KEY,
  as_of INTEGER NOT NULL,             -- commit number
  version INTEGER NOT NULL            -- data version
) STRICT, WITHOUT ROWID;

CREATE TABLE entry (
  dir TEXT NOT NULL,                  -- fid of the directory
  name TEXT NOT NULL,
  fid TEXT NOT NULL,                  -- what has the name
  PRIMARY KEY (dir, name)
) STRICT, WITHOUT ROWID;

-- A content in the file store. A file there without a row here is an orphan.
CREATE TABLE content (
  name TEXT PRIMARY KEY,              -- in the file store
  fid TEXT NOT NULL,                  -- whose contents
  version INTEGER NOT NULL,           -- data version
  digest TEXT NOT NULL,               -- BLAKE3-256
  size INTEGER NOT NULL               -- bytes
) STRICT, WITHOUT ROWID;

-- The update log: what was done here and is not known to be in the cache by way of the server.
CREATE TABLE update_log (
  seq INTEGER PRIMARY KEY,
  op TEXT GENERATED ALWAYS AS (json_extract(body, '$.op')) VIRTUAL,
  fid TEXT GENERATED ALWAYS AS (json_extract(body, '$.fid')) VIRTUAL,
  content TEXT,                       -- of a store: its name in the file store
  place_dir TEXT,                     -- where the vnode was when this was logged: fid of the directory
  place_name TEXT,
  ancestors TEXT NOT NULL,            -- JSON list: fids of the directories above the place, innermost first
  moves_directory INTEGER NOT NULL,   -- 1: it moves a directory
  ends_vnode INTEGER NOT NULL,        -- 1: it took the last name of its vnode here: its contents were given up knowingly
  rank INTEGER NOT NULL,              -- the number under which a person asked for it
  renumbered INTEGER NOT NULL,        -- how many times it was renumbered
  answer_commit INTEGER,              -- the commit it became; null: not committed yet
  answer_touched TEXT,                -- JSON list: fids with data versions before and after that commit
  body TEXT NOT NULL                  -- JSON: the update, as it is sent
) STRICT;

-- What a conflict asks the front end to do to the disk, until it has done it.
CREATE TABLE adjustment (
  id INTEGER PRIMARY KEY,
  kind TEXT GENERATED ALWAYS AS (json_extract(body, '$.kind')) VIRTUAL,
  fid TEXT GENERATED ALWAYS AS (json_extract(body, '$.fid')) VIRTUAL,
  awaits TEXT NOT NULL,               -- JSON list: numbers of updates to be committed before it is offered
  body TEXT NOT NULL                  -- JSON
) STRICT;

-- Conflicts, to be shown.
CREATE TABLE conflict (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,                   -- wall time, as it was logged
  path TEXT NOT NULL,                 -- where the winner is
  copy TEXT NOT NULL,                 -- path of the conflict copy
  kind TEXT NOT NULL
) STRICT;

-- What a fid of ours has become by a conflict.
CREATE TABLE alias (
  fid TEXT PRIMARY KEY,
  kind TEXT NOT NULL,                 -- merged: the other one for good; copied: observed writes go to the copy
  into_fid TEXT NOT NULL
) STRICT, WITHOUT ROWID;
