-- Of files that are over the bound those go first that nobody has made or opened here lately: a file that came is younger on this disk than its use.

-- 1: the contents came from another device, and nobody has written the file here, or asked for it. 0, as for all of before: that is not so, or not known.
ALTER TABLE vnode ADD COLUMN unused INTEGER NOT NULL DEFAULT 0;
UPDATE vnode SET seal = NULL;
DELETE FROM seal WHERE of = 'vnode';
