/** Recorded by `npm run record-programs -- sed-and-cp`: what is read of it is in recorded-steps.ts. */
export const SED_AND_CP = String.raw`
open 1 ct 666 a
write 1 0 141
close 1
open 2 cx 600 b
write 2 0 141
touch 1795812868 b
close 2
open 3 cx 600 sedn0
write 3 0 141
close 3
rename sedn0 a
open 4 cx 600 sedn2
write 4 0 141
close 4
rename b b.bak
rename sedn2 b
rename b b~
rename a b
open 5 cx 600 c
write 5 0 141
close 5
chmod 755 c
unlink b
open 6 cx 755 b
write 6 0 141
close 6
link b d
open 7 c 666 d
cut 7 10
close 7
open 8 cx 600 c.gz
write 8 0 89
touch 1795812868 c.gz
chmod 755 c.gz
close 8
unlink c
open 9 cx 600 c
write 9 0 141
touch 1795812868 c
chmod 755 c
close 9
unlink c.gz
open 10 c 666 part.aa
cut 10 0
write 10 0 10
close 10
unlink part.aa
mkdir 777 x
mkdir 777 x/y
rename b x/y/b
rename x z
unlink z/y/b
rmdir z/y
rmdir z
`;
