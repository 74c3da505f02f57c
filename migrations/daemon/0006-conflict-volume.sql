-- The volume that both paths are in. NULL: it was found before this was kept.
ALTER TABLE conflict ADD COLUMN volume INTEGER;
