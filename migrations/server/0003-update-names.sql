-- The name of an applied update: the same number with another name is that of a copied data folder. What was applied before has
-- none, and is known by its number alone.
ALTER TABLE applied ADD COLUMN name TEXT; -- 16 hex digits
