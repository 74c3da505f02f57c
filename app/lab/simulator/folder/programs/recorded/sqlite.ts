/** Recorded by `npm run record-programs -- sqlite`: what is read of it is in recorded-steps.ts. */
export const SQLITE = String.raw`
open 1 c 644 base.db
open 2 c 644 base.db-journal
write 2 0 512
sync 2
write 2 0 12
sync 2
write 1 0 8192
sync 1
close 2
unlink base.db-journal
open 3 c 644 base.db-journal
write 3 0 512
write 3 512 8208
sync 3
write 3 0 12
sync 3
write 1 0 8192
sync 1
close 3
unlink base.db-journal
open 4 c 644 base.db-journal
write 4 0 512
write 4 512 8208
sync 4
write 4 0 12
sync 4
write 1 0 8192
sync 1
close 4
unlink base.db-journal
close 1
open 5 c 644 base.db
open 6 c 644 base.db-journal
write 6 0 512
write 6 512 4104
sync 6
write 6 0 12
sync 6
write 5 0 4096
sync 5
close 6
unlink base.db-journal
open 7 c 644 base.db-wal
open 8 c 644 base.db-shm
cut 8 3
write 8 4095 1
write 8 8191 1
write 8 12287 1
write 8 16383 1
write 8 20479 1
write 8 24575 1
write 8 28671 1
write 8 32767 1
write 7 0 32
sync 7
write 7 32 4120
sync 7
write 7 4152 4120
sync 7
sync 7
write 5 4096 4096
cut 5 8192
sync 5
unlink base.db-shm
close 8
close 7
unlink base.db-wal
close 5
open 9 c 644 base.db
open 10 c 644 base.db-wal
open 11 c 644 base.db-shm
cut 11 3
write 11 4095 1
write 11 8191 1
write 11 12287 1
write 11 16383 1
write 11 20479 1
write 11 24575 1
write 11 28671 1
write 11 32767 1
unlink base.db-shm
close 11
close 10
unlink base.db-wal
open 12 c 644 base.db-journal
write 12 0 512
write 12 512 4104
sync 12
write 12 0 12
sync 12
write 9 0 4096
sync 9
cut 12 0
sync 12
close 12
open 13 c 644 base.db-journal
write 13 0 512
write 13 512 8208
sync 13
write 13 0 12
sync 13
write 9 0 8192
sync 9
cut 13 0
sync 13
close 13
open 14 c 644 base.db-journal
write 14 0 512
write 14 512 8208
sync 14
write 14 0 12
sync 14
write 9 0 8192
sync 9
cut 14 0
sync 14
close 14
close 9
open 15 c 644 base.db
open 16 c 644 base.db-journal
write 16 0 512
write 16 512 8208
sync 16
write 16 0 12
sync 16
write 15 0 8192
sync 15
close 16
unlink base.db-journal
close 15
`;
