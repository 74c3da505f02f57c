/** Recorded by `npm run record-programs -- tar-extract`: what is read of it is in recorded-steps.ts. */
export const TAR_EXTRACT = String.raw`
mkdir 700 tree
open 1 cx 600 tree/long
write 1 0 9216
write 1 9216 12000
touch 1795812083 tree/long
chmod 644 tree/long
close 1
symlink in/f1 tree/link
touch 1795812083 tree/link
mkdir 700 tree/in
open 2 cx 600 tree/in/f1
write 2 0 2
touch 981158400 tree/in/f1
chmod 644 tree/in/f1
close 2
open 3 cx 400 tree/in/f3
write 3 0 2
touch 1795812083 tree/in/f3
chmod 444 tree/in/f3
close 3
open 4 cx 600 tree/in/f2
write 4 0 2
touch 1795812083 tree/in/f2
chmod 644 tree/in/f2
close 4
mkdir 500 tree/in/deep
touch 1795812083 tree/in/deep
link tree/in/f2 tree/in/second
touch 981158400 tree/in
touch 1795812083 tree
unlink tree/long
open 5 cx 600 tree/long
write 5 0 9216
write 5 9216 12000
touch 1795812083 tree/long
chmod 644 tree/long
close 5
unlink tree/link
symlink in/f1 tree/link
touch 1795812083 tree/link
unlink tree/in/f1
open 6 cx 600 tree/in/f1
write 6 0 2
touch 981158400 tree/in/f1
chmod 644 tree/in/f1
close 6
unlink tree/in/f3
open 7 cx 400 tree/in/f3
write 7 0 2
touch 1795812083 tree/in/f3
chmod 444 tree/in/f3
close 7
unlink tree/in/f2
open 8 cx 600 tree/in/f2
write 8 0 2
touch 1795812083 tree/in/f2
chmod 644 tree/in/f2
close 8
touch 1795812083 tree/in/deep
unlink tree/in/second
link tree/in/f2 tree/in/second
touch 981158400 tree/in
touch 1795812083 tree
`;
