-- A bit that flips in a row, or a hand that alters one, leaves a database that SQLite calls whole. So each row says what was written.

-- The CRC-32 of the row (shared/sqlite/sealed-rows.ts), written by the statement that writes it. NULL: not sealed yet.
ALTER TABLE meta ADD COLUMN seal INTEGER;
ALTER TABLE volume ADD COLUMN seal INTEGER;
ALTER TABLE status ADD COLUMN seal INTEGER;
ALTER TABLE directory ADD COLUMN seal INTEGER;
ALTER TABLE entry ADD COLUMN seal INTEGER;
ALTER TABLE content ADD COLUMN seal INTEGER;
ALTER TABLE update_log ADD COLUMN seal INTEGER;
ALTER TABLE adjustment ADD COLUMN seal INTEGER;
ALTER TABLE conflict ADD COLUMN seal INTEGER;
ALTER TABLE alias ADD COLUMN seal INTEGER;
ALTER TABLE pin ADD COLUMN seal INTEGER;
ALTER TABLE note ADD COLUMN seal INTEGER;
ALTER TABLE recorded ADD COLUMN seal INTEGER;

-- The seals of all rows of a table, exclusive-or: it tells of rows that are gone. A table without a row here is sealed when it is loaded.
CREATE TABLE seal (
  of  TEXT PRIMARY KEY,               -- the table
  sum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
