/** Recorded by `npm run record-programs -- make-and-zip`: what is read of it is in recorded-steps.ts. */
export const MAKE_AND_ZIP = String.raw`
open 1 ct 666 main.c
write 1 0 21
close 1
open 2 ct 666 Makefile
write 2 0 57
close 2
open 3 ct 666 main.o
write 3 272 13
write 3 64 51
write 3 120 56
write 3 288 24
write 3 176 96
write 3 0 84
write 3 0 64
write 3 400 704
close 3
open 4 ct 666 p
write 4 64 728
write 4 824 32
write 4 892 32
write 4 4160 34
write 4 8192 4
write 4 8240 48
write 4 12288 4
write 4 4096 18
write 4 4404 4
write 4 4114 5
write 4 4408 5
write 4 4194 199
write 4 12296 8
write 4 11784 8
write 4 11776 8
write 4 12288 39
write 4 4393 11
write 4 8376 36
write 4 12292 4
write 4 12344 1297
write 4 8288 88
write 4 792 28
write 4 1248 12
write 4 1264 48
write 4 968 280
write 4 11792 432
write 4 928 36
write 4 4128 16
write 4 1336 120
write 4 12224 64
write 4 4144 8
write 4 8288 88
write 4 1312 24
write 4 1456 48
write 4 8196 44
write 4 12288 272
write 4 0 64
write 4 13920 1920
write 4 856 36
close 4
chmod 755 p
open 5 c 666 main.c
touch 1893456000 main.c
close 5
unlink main.o
open 6 ct 666 main.o
write 6 272 13
write 6 64 51
write 6 120 56
write 6 288 24
write 6 176 96
write 6 0 84
write 6 0 64
write 6 400 704
close 6
unlink p
open 7 ct 666 p
write 7 64 728
write 7 824 32
write 7 892 32
write 7 4160 34
write 7 8192 4
write 7 8240 48
write 7 12288 4
write 7 4096 18
write 7 4404 4
write 7 4114 5
write 7 4408 5
write 7 4194 199
write 7 12296 8
write 7 11784 8
write 7 11776 8
write 7 12288 39
write 7 4393 11
write 7 8376 36
write 7 12292 4
write 7 12344 1297
write 7 8288 88
write 7 792 28
write 7 1248 12
write 7 1264 48
write 7 968 280
write 7 11792 432
write 7 928 36
write 7 4128 16
write 7 1336 120
write 7 12224 64
write 7 4144 8
write 7 8288 88
write 7 1312 24
write 7 1456 48
write 7 8196 44
write 7 12288 272
write 7 0 64
write 7 13920 1920
write 7 856 36
close 7
chmod 755 p
open 8 cx 600 stn0
write 8 64 756
write 8 824 100
write 8 928 36
write 8 968 292
write 8 1264 240
write 8 4096 23
write 8 4128 24
write 8 4160 253
write 8 8192 220
write 8 11776 823
write 8 0 64
write 8 12600 1792
chmod 711 stn0
open 9 t 644 p
write 9 0 8192
write 9 8192 6200
chmod 755 p
close 8
close 9
unlink stn0
open 10 ct 666 all.zip
close 10
unlink all.zip
open 11 cx 600 ziDEjvE4
write 11 0 64
write 11 64 21
write 11 0 64
write 11 85 1641
write 11 85 59
write 11 1726 169
close 11
rename ziDEjvE4 all.zip
chmod 644 all.zip
open 12 ca 666 main.c
write 12 + 1
close 12
open 13 - 644 all.zip
close 13
open 14 cx 600 ziOwMFKd
write 14 0 64
write 14 64 22
write 14 0 64
write 14 86 1810
close 14
unlink all.zip
rename ziOwMFKd all.zip
chmod 644 all.zip
`;
