-- Files whose contents are not kept here: a placeholder stands for them on the disk, under their name and an ending of ours.

-- 1: what `disk_*` tell is the placeholder; the other columns are the file's, as the volume has them.
ALTER TABLE vnode ADD COLUMN placeholder INTEGER NOT NULL DEFAULT 0;
