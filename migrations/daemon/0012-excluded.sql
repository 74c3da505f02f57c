-- Folders that this laptop does not keep on its disk (rule X1).
CREATE TABLE excluded (
  fid TEXT PRIMARY KEY,               -- of a folder or a mount point, wherever it is moved
  since INTEGER NOT NULL,             -- wall time, milliseconds since 1970
  seal INTEGER                        -- 0009-seals.sql
) STRICT, WITHOUT ROWID;
