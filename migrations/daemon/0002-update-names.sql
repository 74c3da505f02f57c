-- An update has a random name beside its number: a copy of the data folder gives the same numbers to updates of its own.
-- What was logged before has none, and is known by its number alone.
ALTER TABLE update_log ADD COLUMN name TEXT; -- 16 hex digits
