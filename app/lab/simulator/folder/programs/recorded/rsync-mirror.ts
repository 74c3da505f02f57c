/** Recorded by `npm run record-programs -- rsync-mirror`: what is read of it is in recorded-steps.ts. */
export const RSYNC_MIRROR = String.raw`
mkdir 777 mirror
symlink in/f1 mirror/link
mkdir 700 mirror/in
touch 981158400 mirror/in
chmod 755 mirror/in
open 1 cx 600 mirror/.long.n0
chmod 600 mirror/.long.n0
write 1 0 12000
close 1
mkdir 700 mirror/in/deep
touch 1795812084 mirror/.long.n0
chmod 644 mirror/.long.n0
chmod 755 mirror/in/deep
rename mirror/.long.n0 mirror/long
open 2 cx 600 mirror/in/.f1.n2
chmod 600 mirror/in/.f1.n2
write 2 0 2
close 2
touch 981158400 mirror/in/.f1.n2
chmod 644 mirror/in/.f1.n2
rename mirror/in/.f1.n2 mirror/in/f1
open 3 cx 600 mirror/in/.f2.n4
chmod 600 mirror/in/.f2.n4
write 3 0 2
close 3
touch 1795812084 mirror/in/.f2.n4
chmod 644 mirror/in/.f2.n4
rename mirror/in/.f2.n4 mirror/in/f2
open 4 cx 600 mirror/in/.f3.n6
chmod 600 mirror/in/.f3.n6
write 4 0 2
close 4
touch 1795812084 mirror/in/.f3.n6
chmod 444 mirror/in/.f3.n6
rename mirror/in/.f3.n6 mirror/in/f3
open 5 cx 600 mirror/in/.second.n8
chmod 600 mirror/in/.second.n8
write 5 0 2
close 5
touch 1795812084 mirror/in/.second.n8
chmod 644 mirror/in/.second.n8
rename mirror/in/.second.n8 mirror/in/second
touch 981158400 mirror/in
touch 1795812084 mirror/in
open 6 cx 600 mirror/.long.n10
chmod 600 mirror/.long.n10
unlink mirror/in/f3
write 6 0 12000
close 6
touch 1795812084 mirror/.long.n10
chmod 644 mirror/.long.n10
rename mirror/.long.n10 mirror/long
unlink mirror/in/f1
mkdir 700 mirror/in/f1
chmod 755 mirror/in/f1
open 7 cx 600 mirror/in/.f4.n12
chmod 600 mirror/in/.f4.n12
write 7 0 2
close 7
touch 1795812084 mirror/in/.f4.n12
chmod 444 mirror/in/.f4.n12
rename mirror/in/.f4.n12 mirror/in/f4
touch 1795812084 mirror/in
touch 1795812085 mirror/in
open 8 c 600 mirror/long
write 8 0 12000
cut 8 43908
rmdir mirror/in/f1
close 8
touch 1795812085 mirror/long
`;
