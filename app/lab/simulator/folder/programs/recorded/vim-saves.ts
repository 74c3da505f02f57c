/** Recorded by `npm run record-programs -- vim-saves`: what is read of it is in recorded-steps.ts. */
export const VIM_SAVES = String.raw`
open 1 ct 666 text
write 1 0 1092
close 1
chmod 640 text
rename text text~
open 2 c 640 text
cut 2 0
write 2 0 1093
sync 2
chmod 640 text
close 2
unlink text~
open 3 cx 640 text~
write 3 0 1093
close 3
touch 1795812113 text~
open 4 c 640 text
cut 4 0
write 4 0 1094
sync 4
chmod 640 text
close 4
unlink text~
rename text text~
open 5 c 640 text
cut 5 0
write 5 0 1095
sync 5
chmod 640 text
close 5
open 6 c 640 text
cut 6 0
write 6 0 1096
sync 6
chmod 640 text
close 6
open 7 cx 600 .text.swp
open 8 cx 600 .text.swpx
close 8
unlink .text.swpx
close 7
unlink .text.swp
open 9 cx 600 .text.swp
write 9 0 4096
chmod 640 .text.swp
write 9 0 12000
sync 9
open 10 c 640 text
cut 10 0
write 10 0 1097
sync 10
chmod 640 text
close 10
write 9 0 4096
write 9 0 4096
write 9 8192 4096
sync 9
open 11 c 640 text
cut 11 0
write 11 0 1098
sync 11
chmod 640 text
close 11
write 9 0 4096
close 9
unlink .text.swp
`;
