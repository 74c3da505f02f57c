-- The rows that no commit seals (0009): who may do what, numbers that were given, answers, marks, leases. They are written one by one, and each
-- has a seal of its own, which is written with it (row-seals.ts).

CREATE TABLE row_seal (
  -- The table. 'sealed': the key is the name of a table, of which all rows have seals from then on.
  of   TEXT NOT NULL,
  -- The primary key of the row, its columns with dots between.
  key  TEXT NOT NULL,
  -- CRC-32 of the row.
  seal INTEGER NOT NULL,
  PRIMARY KEY (of, key)
) WITHOUT ROWID, STRICT;
