-- The names of the directories above a logged update, innermost first (JSON); a root has none. NULL: there are none, or an older daemon logged it.
ALTER TABLE update_log ADD COLUMN above TEXT;
UPDATE update_log SET seal = NULL;
DELETE FROM seal WHERE of = 'update_log';
