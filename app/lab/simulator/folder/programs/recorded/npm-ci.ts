/** Recorded by `npm run record-programs -- npm-ci`: what is read of it is in recorded-steps.ts. */
export const NPM_CI = String.raw`
open 1 cx 644 package.json
write 1 0 110
close 1
open 2 cx 644 package-lock.json
write 2 0 819
close 2
mkdir 777 node_modules
mkdir 777 node_modules/one
mkdir 777 node_modules/two
mkdir 777 node_modules/one/lib
mkdir 777 node_modules/two/lib
open 3 ct 666 node_modules/one/lib/1.js
open 4 ct 666 node_modules/two/lib/1.js
write 3 0 2
close 3
write 4 0 2
close 4
open 5 ct 666 node_modules/one/lib/2.js
open 6 ct 666 node_modules/two/lib/2.js
write 5 0 2
write 6 0 2
close 6
open 7 ct 666 node_modules/two/lib/3.js
close 5
open 8 ct 666 node_modules/one/lib/3.js
open 9 ct 777 node_modules/two/index.js
write 8 0 2
open 10 ct 777 node_modules/one/index.js
write 7 0 2
open 11 ct 666 node_modules/two/package.json
write 9 0 20
close 8
write 10 0 20
open 12 ct 666 node_modules/one/package.json
close 7
close 9
close 10
write 12 0 50
close 12
write 11 0 50
close 11
mkdir 777 node_modules/.bin
symlink ../one/index.js node_modules/.bin/one
chmod 755 node_modules/one/index.js
symlink ../two/index.js node_modules/.bin/two
chmod 755 node_modules/two/index.js
open 13 ct 666 node_modules/.package-lock.json
write 13 0 644
close 13
unlink node_modules/.package-lock.json
unlink node_modules/.bin/one
unlink node_modules/one/index.js
unlink node_modules/.bin/two
unlink node_modules/one/package.json
unlink node_modules/two/index.js
unlink node_modules/two/package.json
rmdir node_modules/.bin
unlink node_modules/two/lib/1.js
unlink node_modules/two/lib/2.js
unlink node_modules/two/lib/3.js
unlink node_modules/one/lib/1.js
unlink node_modules/one/lib/2.js
unlink node_modules/one/lib/3.js
rmdir node_modules/two/lib
rmdir node_modules/one/lib
rmdir node_modules/two
rmdir node_modules/one
mkdir 777 node_modules/one
mkdir 777 node_modules/two
mkdir 777 node_modules/one/lib
mkdir 777 node_modules/two/lib
open 14 ct 666 node_modules/one/lib/1.js
open 15 ct 666 node_modules/two/lib/1.js
write 14 0 2
write 15 0 2
close 14
close 15
open 16 ct 666 node_modules/one/lib/2.js
open 17 ct 666 node_modules/two/lib/2.js
write 16 0 2
write 17 0 2
close 16
close 17
open 18 ct 666 node_modules/one/lib/3.js
open 19 ct 666 node_modules/two/lib/3.js
write 18 0 2
open 20 ct 777 node_modules/one/index.js
write 19 0 2
open 21 ct 777 node_modules/two/index.js
close 18
write 20 0 20
open 22 ct 666 node_modules/one/package.json
write 21 0 20
close 19
open 23 ct 666 node_modules/two/package.json
close 20
write 22 0 50
close 21
write 23 0 50
close 22
close 23
mkdir 777 node_modules/.bin
symlink ../one/index.js node_modules/.bin/one
symlink ../two/index.js node_modules/.bin/two
chmod 755 node_modules/one/index.js
chmod 755 node_modules/two/index.js
open 24 ct 666 node_modules/.package-lock.json
write 24 0 644
close 24
`;
