-- Where ours and the server's parted, of what was copied: what was written over a version up to this one had not seen the copy.
ALTER TABLE alias ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
