-- A bit that flips in a row, or a hand that alters one, leaves a database that SQLite calls whole. So each commit says what it wrote.

-- The first 16 hex digits of the SHA-256 of what the commit wrote (commit-seal.ts), written in its transaction. NULL: it was made before
-- there were seals, and nobody knows whether its rows are as they were.
ALTER TABLE commit_log ADD COLUMN seal TEXT;
