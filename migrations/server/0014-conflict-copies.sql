-- Whether a name is that of a conflict copy is said by the device that gives it (rule C4), not by the name.

-- Of the name that the commit set: the name that was lost, beside which the copy lies. Empty: it is no conflict copy. NULL: the device did not say, as older
-- ones do not, or no name was set. It is sealed with the commit where it is not NULL.
ALTER TABLE commit_log ADD COLUMN copy_of TEXT;
