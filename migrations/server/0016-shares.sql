-- Folders that people share at their laptops.

-- The number of the person who gave the rights of a row; NULL: it was not given at a laptop.
ALTER TABLE access_entry ADD COLUMN given_by INTEGER;

-- Of a volume that a person made at a laptop: what the laptop drew for that, so that it may ask again. Whose it is is `owner`. NULL: it was made by who
-- runs the server.
ALTER TABLE volume ADD COLUMN made TEXT;

DELETE FROM row_seal WHERE of IN ('access_entry', 'volume');
DELETE FROM row_seal WHERE of = 'sealed' AND key IN ('access_entry', 'volume');
