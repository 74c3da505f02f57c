/** Recorded by `npm run record-programs -- git-stash-merge`: what is read of it is in recorded-steps.ts. */
export const GIT_STASH_MERGE = String.raw`
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
open 6 cx 600 .git/tSZaehL
close 6
unlink .git/tSZaehL
symlink testing .git/tSZaehL
unlink .git/tSZaehL
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
mkdir 777 .git/objects/09
open 22 cx 444 .git/objects/09/tmp_obj_n21
write 22 0 99
close 22
link .git/objects/09/tmp_obj_n21 .git/objects/09/n23
unlink .git/objects/09/tmp_obj_n21
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
open 46 cx 444 .git/objects/18/tmp_obj_n42
write 46 0 130
close 46
link .git/objects/18/tmp_obj_n42 .git/objects/18/n44
unlink .git/objects/18/tmp_obj_n42
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
open 59 ca 666 notes
write 59 + 5
close 59
open 60 cx 666 .git/index.lock
write 60 0 433
write 60 433 20
close 60
rename .git/index.lock .git/index
open 61 cx 666 .git/index.lock
write 61 0 433
write 61 433 20
close 61
rename .git/index.lock .git/index
open 62 cx 666 .git/index.lock
close 62
unlink .git/index.lock
mkdir 777 .git/objects/7c
open 63 cx 444 .git/objects/7c/tmp_obj_n45
write 63 0 143
close 63
link .git/objects/7c/tmp_obj_n45 .git/objects/7c/n47
unlink .git/objects/7c/tmp_obj_n45
open 64 cx 666 .git/index.lock
write 64 0 433
write 64 433 20
close 64
rename .git/index.lock .git/index.stash.25267
open 65 cx 666 .git/index.stash.25267.lock
mkdir 777 .git/objects/25
open 66 cx 444 .git/objects/25/tmp_obj_n48
write 66 0 22
close 66
link .git/objects/25/tmp_obj_n48 .git/objects/25/n50
unlink .git/objects/25/tmp_obj_n48
write 65 0 434
close 65
rename .git/index.stash.25267.lock .git/index.stash.25267
open 67 cx 666 .git/index.stash.25267.lock
mkdir 777 .git/objects/f8
open 68 cx 444 .git/objects/f8/tmp_obj_n51
write 68 0 106
close 68
link .git/objects/f8/tmp_obj_n51 .git/objects/f8/n53
unlink .git/objects/f8/tmp_obj_n51
write 67 0 453
close 67
rename .git/index.stash.25267.lock .git/index.stash.25267
unlink .git/index.stash.25267
mkdir 777 .git/objects/44
open 69 cx 444 .git/objects/44/tmp_obj_n54
write 69 0 171
close 69
link .git/objects/44/tmp_obj_n54 .git/objects/44/n56
unlink .git/objects/44/tmp_obj_n54
open 70 cx 666 .git/refs/stash.lock
write 70 0 40
write 70 40 1
close 70
open 71 ca 666 .git/logs/refs/stash
write 71 + 130
close 71
rename .git/refs/stash.lock .git/refs/stash
open 72 cx 666 .git/index.lock
unlink notes
open 73 cx 666 notes
write 73 0 2
close 73
write 72 0 453
close 72
rename .git/index.lock .git/index
open 74 cx 666 .git/ORIG_HEAD.lock
write 74 0 40
write 74 40 1
close 74
rename .git/ORIG_HEAD.lock .git/ORIG_HEAD
open 75 cx 666 .git/HEAD.lock
close 75
open 76 cx 666 .git/refs/heads/main.lock
close 76
open 77 ca 666 .git/logs/HEAD
write 77 + 129
close 77
unlink .git/HEAD.lock
unlink .git/refs/heads/main.lock
open 78 cx 666 .git/ORIG_HEAD.lock
close 78
unlink .git/ORIG_HEAD.lock
open 79 cx 666 .git/index.lock
write 79 0 433
write 79 433 20
close 79
rename .git/index.lock .git/index
open 80 cx 666 .git/index.lock
close 80
unlink .git/index.lock
open 81 cx 666 .git/index.lock
unlink old
unlink src/c.c
symlink src/a.c newest
mkdir 777 old
open 82 cx 666 old/in
write 82 0 3
close 82
unlink src/a.c
open 83 cx 666 src/a.c
write 83 0 7
close 83
unlink src/b.c
open 84 cx 777 src/b.c
write 84 0 2
close 84
open 85 cx 666 src/d.c
write 85 0 2
close 85
open 86 ct 666 .git/AUTO_MERGE
write 86 0 41
close 86
write 81 0 553
close 81
rename .git/index.lock .git/index
open 87 cx 666 .git/index.lock
close 87
unlink .git/index.lock
open 88 ct 666 .git/MERGE_HEAD
write 88 0 41
close 88
open 89 ct 666 .git/MERGE_MODE
write 89 0 5
close 89
open 90 ct 666 .git/MERGE_MSG
write 90 0 1
close 90
mkdir 777 .git/objects/d3
open 91 cx 444 .git/objects/d3/tmp_obj_n57
write 91 0 154
close 91
link .git/objects/d3/tmp_obj_n57 .git/objects/d3/n59
unlink .git/objects/d3/tmp_obj_n57
open 92 cx 666 .git/HEAD.lock
close 92
open 93 cx 666 .git/refs/heads/main.lock
write 93 0 40
write 93 40 1
close 93
open 94 ca 666 .git/logs/HEAD
write 94 + 154
close 94
open 95 ca 666 .git/logs/refs/heads/main
write 95 + 154
close 95
rename .git/refs/heads/main.lock .git/refs/heads/main
unlink .git/HEAD.lock
open 96 cx 666 .git/objects/maintenance.lock
close 96
unlink .git/objects/maintenance.lock
unlink .git/MERGE_HEAD
unlink .git/MERGE_MSG
unlink .git/MERGE_MODE
unlink .git/AUTO_MERGE
open 97 cx 666 .git/index.lock
write 97 0 533
write 97 533 20
close 97
rename .git/index.lock .git/index
open 98 cx 666 .git/index.lock
close 98
unlink .git/index.lock
open 99 cx 666 .git/index.lock
mkdir 777 .git/objects/0a
open 100 cx 444 .git/objects/0a/tmp_obj_n60
write 100 0 140
close 100
link .git/objects/0a/tmp_obj_n60 .git/objects/0a/n62
unlink .git/objects/0a/tmp_obj_n60
unlink notes
open 101 cx 666 notes
write 101 0 7
close 101
open 102 ct 666 .git/AUTO_MERGE
write 102 0 41
close 102
write 99 0 553
close 99
rename .git/index.lock .git/index
open 103 cx 666 .git/index.lock
write 103 0 514
write 103 514 20
close 103
rename .git/index.lock .git/index
open 104 cx 666 .git/refs/stash.lock
open 105 cx 666 .git/logs/refs/stash.lock
close 105
rename .git/logs/refs/stash.lock .git/logs/refs/stash
close 104
unlink .git/refs/stash.lock
open 106 cx 666 .git/refs/stash.lock
close 106
open 107 cx 666 .git/packed-refs.lock
close 107
unlink .git/logs/refs/stash
unlink .git/refs/stash
unlink .git/refs/stash.lock
unlink .git/packed-refs.lock
`;
