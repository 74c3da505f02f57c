-- Quotas of volumes. `used` is kept, not counted at each store: it changes in the transaction of each commit.

-- Bytes that the contents of its files may have together; NULL: no limit.
ALTER TABLE volume ADD COLUMN quota INTEGER;
-- Bytes of the present contents of its files, each file once however many names it has. Older versions do not count.
ALTER TABLE volume ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
UPDATE volume SET used = (
  SELECT coalesce(sum(size), 0) FROM vnode
  WHERE vnode.volume = volume.id AND to_commit IS NULL AND links > 0 AND kind = 'file'
);
