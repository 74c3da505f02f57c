-- Changes are written to a file beside this database before they are committed. All of them up to this number are in these tables.
CREATE TABLE recorded (position INTEGER NOT NULL) STRICT;
INSERT INTO recorded (position) VALUES (0);
