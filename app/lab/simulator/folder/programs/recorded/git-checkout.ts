/** Recorded by `npm run record-programs -- git-checkout`: what is read of it is in recorded-steps.ts. */
export const GIT_CHECKOUT = String.raw`
mkdir 777 .git
mkdir 777 .git/refs
mkdir 777 .git/refs/heads
mkdir 777 .git/refs/tags
open 1 cx 666 .git/HEAD.lock
write 1 0 21
close 1
rename .git/HEAD.lock .git/HEAD
open 2 cx 666 .git/config.lock
write 2 0 7
write 2 7 29
close 2
rename .git/config.lock .git/config
chmod 744 .git/config
chmod 644 .git/config
open 3 cx 666 .git/config.lock
chmod 644 .git/config.lock
write 3 0 53
close 3
rename .git/config.lock .git/config
open 4 cx 666 .git/config.lock
chmod 644 .git/config.lock
write 4 0 67
close 4
rename .git/config.lock .git/config
open 5 cx 666 .git/config.lock
chmod 644 .git/config.lock
write 5 0 92
close 5
rename .git/config.lock .git/config
open 6 cx 600 .git/tOu2dDw
close 6
unlink .git/tOu2dDw
symlink testing .git/tOu2dDw
unlink .git/tOu2dDw
mkdir 777 .git/objects
mkdir 777 .git/objects/pack
mkdir 777 .git/objects/info
mkdir 777 src
open 7 ct 666 src/a.c
write 7 0 2
close 7
open 8 ct 666 src/b.c
write 8 0 2
close 8
open 9 ct 666 src/c.c
write 9 0 2
close 9
open 10 ct 666 notes
write 10 0 2
close 10
open 11 ct 666 old
write 11 0 2
close 11
open 12 cx 666 .git/index.lock
mkdir 777 .git/objects/58
open 13 cx 444 .git/objects/58/tmp_obj_n0
write 13 0 17
close 13
link .git/objects/58/tmp_obj_n0 .git/objects/58/n2
unlink .git/objects/58/tmp_obj_n0
mkdir 777 .git/objects/97
open 14 cx 444 .git/objects/97/tmp_obj_n3
write 14 0 17
close 14
link .git/objects/97/tmp_obj_n3 .git/objects/97/n5
unlink .git/objects/97/tmp_obj_n3
mkdir 777 .git/objects/78
open 15 cx 444 .git/objects/78/tmp_obj_n6
write 15 0 17
close 15
link .git/objects/78/tmp_obj_n6 .git/objects/78/n8
unlink .git/objects/78/tmp_obj_n6
mkdir 777 .git/objects/61
open 16 cx 444 .git/objects/61/tmp_obj_n9
write 16 0 17
close 16
link .git/objects/61/tmp_obj_n9 .git/objects/61/n11
unlink .git/objects/61/tmp_obj_n9
mkdir 777 .git/objects/f2
open 17 cx 444 .git/objects/f2/tmp_obj_n12
write 17 0 17
close 17
link .git/objects/f2/tmp_obj_n12 .git/objects/f2/n14
unlink .git/objects/f2/tmp_obj_n12
write 12 0 392
close 12
rename .git/index.lock .git/index
open 18 cx 666 .git/index.lock
mkdir 777 .git/objects/18
open 19 cx 444 .git/objects/18/tmp_obj_n15
write 19 0 99
close 19
link .git/objects/18/tmp_obj_n15 .git/objects/18/n17
unlink .git/objects/18/tmp_obj_n15
mkdir 777 .git/objects/2d
open 20 cx 444 .git/objects/2d/tmp_obj_n18
write 20 0 106
close 20
link .git/objects/2d/tmp_obj_n18 .git/objects/2d/n20
unlink .git/objects/2d/tmp_obj_n18
write 18 0 453
close 18
rename .git/index.lock .git/index
open 21 ct 666 .git/COMMIT_EDITMSG
write 21 0 2
close 21
mkdir 777 .git/objects/b5
open 22 cx 444 .git/objects/b5/tmp_obj_n21
write 22 0 101
close 22
link .git/objects/b5/tmp_obj_n21 .git/objects/b5/n23
unlink .git/objects/b5/tmp_obj_n21
open 23 cx 666 .git/HEAD.lock
close 23
open 24 cx 666 .git/refs/heads/main.lock
write 24 0 40
write 24 40 1
close 24
mkdir 777 .git/logs
open 25 ca 666 .git/logs/HEAD
write 25 + 127
close 25
mkdir 777 .git/logs/refs
mkdir 777 .git/logs/refs/heads
open 26 ca 666 .git/logs/refs/heads/main
write 26 + 127
close 26
rename .git/refs/heads/main.lock .git/refs/heads/main
unlink .git/HEAD.lock
open 27 cx 666 .git/objects/maintenance.lock
close 27
unlink .git/objects/maintenance.lock
open 28 cx 666 .git/index.lock
write 28 0 433
write 28 433 20
close 28
rename .git/index.lock .git/index
open 29 cx 666 .git/refs/heads/other.lock
write 29 0 40
write 29 40 1
close 29
open 30 ca 666 .git/logs/refs/heads/other
write 30 + 133
close 30
rename .git/refs/heads/other.lock .git/refs/heads/other
open 31 cx 666 .git/HEAD.lock
open 32 ca 666 .git/logs/HEAD
write 32 + 143
close 32
write 31 0 22
close 31
rename .git/HEAD.lock .git/HEAD
open 33 cx 666 .git/index.lock
rename src/c.c src/d.c
write 33 0 415
close 33
rename .git/index.lock .git/index
open 34 ca 666 src/a.c
write 34 + 5
close 34
open 35 cx 666 .git/index.lock
unlink old
write 35 0 343
close 35
rename .git/index.lock .git/index
symlink src/a.c newest
chmod 755 src/b.c
mkdir 777 old
open 36 ct 666 old/in
write 36 0 3
close 36
open 37 cx 666 .git/index.lock
mkdir 777 .git/objects/d4
open 38 cx 444 .git/objects/d4/tmp_obj_n24
write 38 0 22
close 38
link .git/objects/d4/tmp_obj_n24 .git/objects/d4/n26
unlink .git/objects/d4/tmp_obj_n24
mkdir 777 .git/objects/aa
open 39 cx 444 .git/objects/aa/tmp_obj_n27
write 39 0 22
close 39
link .git/objects/aa/tmp_obj_n27 .git/objects/aa/n29
unlink .git/objects/aa/tmp_obj_n27
mkdir 777 .git/objects/49
open 40 cx 444 .git/objects/49/tmp_obj_n30
write 40 0 18
close 40
link .git/objects/49/tmp_obj_n30 .git/objects/49/n32
unlink .git/objects/49/tmp_obj_n30
write 37 0 487
close 37
rename .git/index.lock .git/index
open 41 cx 666 .git/index.lock
mkdir 777 .git/objects/df
open 42 cx 444 .git/objects/df/tmp_obj_n33
write 42 0 47
close 42
link .git/objects/df/tmp_obj_n33 .git/objects/df/n35
unlink .git/objects/df/tmp_obj_n33
mkdir 777 .git/objects/01
open 43 cx 444 .git/objects/01/tmp_obj_n36
write 43 0 103
close 43
link .git/objects/01/tmp_obj_n36 .git/objects/01/n38
unlink .git/objects/01/tmp_obj_n36
mkdir 777 .git/objects/a5
open 44 cx 444 .git/objects/a5/tmp_obj_n39
write 44 0 140
close 44
link .git/objects/a5/tmp_obj_n39 .git/objects/a5/n41
unlink .git/objects/a5/tmp_obj_n39
write 41 0 553
close 41
rename .git/index.lock .git/index
open 45 ct 666 .git/COMMIT_EDITMSG
write 45 0 2
close 45
mkdir 777 .git/objects/0d
open 46 cx 444 .git/objects/0d/tmp_obj_n42
write 46 0 130
close 46
link .git/objects/0d/tmp_obj_n42 .git/objects/0d/n44
unlink .git/objects/0d/tmp_obj_n42
open 47 cx 666 .git/HEAD.lock
close 47
open 48 cx 666 .git/refs/heads/other.lock
write 48 0 40
write 48 40 1
close 48
open 49 ca 666 .git/logs/HEAD
write 49 + 117
close 49
open 50 ca 666 .git/logs/refs/heads/other
write 50 + 117
close 50
rename .git/refs/heads/other.lock .git/refs/heads/other
unlink .git/HEAD.lock
open 51 cx 666 .git/objects/maintenance.lock
close 51
unlink .git/objects/maintenance.lock
open 52 cx 666 .git/index.lock
unlink newest
unlink old/in
unlink src/d.c
rmdir old
open 53 cx 666 old
write 53 0 2
close 53
unlink src/a.c
open 54 cx 666 src/a.c
write 54 0 2
close 54
unlink src/b.c
open 55 cx 666 src/b.c
write 55 0 2
close 55
open 56 cx 666 src/c.c
write 56 0 2
close 56
write 52 0 453
close 52
rename .git/index.lock .git/index
open 57 cx 666 .git/HEAD.lock
open 58 ca 666 .git/logs/HEAD
write 58 + 143
close 58
write 57 0 21
close 57
rename .git/HEAD.lock .git/HEAD
open 59 cx 666 .git/index.lock
unlink old
unlink src/c.c
symlink src/a.c newest
mkdir 777 old
open 60 cx 666 old/in
write 60 0 3
close 60
unlink src/a.c
open 61 cx 666 src/a.c
write 61 0 7
close 61
unlink src/b.c
open 62 cx 777 src/b.c
write 62 0 2
close 62
open 63 cx 666 src/d.c
write 63 0 2
close 63
write 59 0 553
close 59
rename .git/index.lock .git/index
open 64 cx 666 .git/HEAD.lock
open 65 ca 666 .git/logs/HEAD
write 65 + 143
close 65
write 64 0 22
close 64
rename .git/HEAD.lock .git/HEAD
open 66 cx 666 .git/index.lock
unlink newest
unlink old/in
unlink src/d.c
rmdir old
open 67 cx 666 old
write 67 0 2
close 67
unlink src/a.c
open 68 cx 666 src/a.c
write 68 0 2
close 68
unlink src/b.c
open 69 cx 666 src/b.c
write 69 0 2
close 69
open 70 cx 666 src/c.c
write 70 0 2
close 70
write 66 0 453
close 66
rename .git/index.lock .git/index
open 71 cx 666 .git/HEAD.lock
open 72 ca 666 .git/logs/HEAD
write 72 + 143
close 72
write 71 0 21
close 71
rename .git/HEAD.lock .git/HEAD
`;
