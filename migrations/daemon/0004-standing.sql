-- What was said of a queued update: its turn, that it is put aside, when its file was written (JSON). Null: nothing was.
ALTER TABLE update_log ADD COLUMN standing TEXT;
