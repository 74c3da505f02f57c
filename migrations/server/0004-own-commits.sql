-- `godwit undo` reads the commits of one device, newest first.
CREATE INDEX commit_by_device ON commit_log (volume, device, number);
