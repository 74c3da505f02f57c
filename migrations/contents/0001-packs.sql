-- Where small contents lie in the packs of a server. The packs are the truth: this is made again from them where it is lost.
--
-- `pack.number` grows; in a digest's records the one with the highest (pack, place) says how it is.

CREATE TABLE pack (
  number INTEGER PRIMARY KEY,
  -- The random word before each record, in hex; it is in the name of the file.
  mark   TEXT NOT NULL,
  -- Up to here its records are in this index.
  length INTEGER NOT NULL
) STRICT;

-- The record of each content that is there.
CREATE TABLE place (
  digest  BLOB PRIMARY KEY, -- 32 bytes
  pack    INTEGER NOT NULL,
  -- Bytes of the pack: where the content begins, and how many.
  offset  INTEGER NOT NULL,
  length  INTEGER NOT NULL,
  -- When it was put, in milliseconds since 1970.
  when_ms REAL NOT NULL
) WITHOUT ROWID, STRICT;

-- Records of contents that were removed or put again. While one is in a pack, the removal after it must be kept as well.
CREATE TABLE dead (
  digest BLOB NOT NULL,
  pack   INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  PRIMARY KEY (digest, pack, offset)
) WITHOUT ROWID, STRICT;
