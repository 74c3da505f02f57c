/** What is recorded: shell scripts that work in an empty folder, each with what it needs beside it. */

export interface RecordedScript {
  /** Of the program in the simulated world, and of its file. */
  readonly name: string;
  /** Run before, unseen, in a folder beside the one that is recorded: `$BESIDE`. */
  readonly before: string;
  /** Run in the folder that is recorded. */
  readonly script: string;
}

const QUIET_GIT =
  'export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b';

/** Two branches that differ in contents, names, modes and kinds. */
const BRANCHES = `git -c gc.auto=0 init -q -b main --template= .
mkdir src; for n in a b c; do echo $n > src/$n.c; done; echo x > notes; echo y > old
git add . && git commit -qm 1
git checkout -q -b other
git mv src/c.c src/d.c; echo more >> src/a.c; git rm -q old; ln -s src/a.c newest; chmod +x src/b.c; mkdir old; echo in > old/in
git add -A && git commit -qm 2`;

const TREE = `mkdir -p tree/in/deep; for n in 1 2 3; do echo $n > tree/in/f$n; done; seq 9000 > tree/long
ln -s in/f1 tree/link; ln tree/in/f2 tree/in/second; chmod 555 tree/in/deep; chmod 444 tree/in/f3; touch -d 2001-02-03 tree/in/f1 tree/in`;

export const SCRIPTS: readonly RecordedScript[] = [
  {
    name: 'git-checkout',
    before: '',
    script: `${QUIET_GIT}\n${BRANCHES}\ngit checkout -q main; git checkout -q other; git checkout -q main`,
  },
  {
    name: 'git-stash-merge',
    before: '',
    script: `${QUIET_GIT}\n${BRANCHES}\ngit checkout -q main; echo mine >> notes; git stash -q; git merge -q --no-ff -m 3 other; git stash pop -q`,
  },
  {
    name: 'tar-extract',
    before: `cd "$BESIDE"; ${TREE}\ntar -cf tree.tar tree`,
    script: 'tar -xf "$BESIDE/tree.tar"; tar -xf "$BESIDE/tree.tar"',
  },
  {
    name: 'rsync-mirror',
    before: `cd "$BESIDE"; ${TREE}\nchmod 755 tree/in/deep`,
    script:
      'rsync -a "$BESIDE/tree/" mirror; (cd "$BESIDE/tree"; echo more >> long; rm in/f1; mv in/f3 in/f4; mkdir in/f1); rsync -a --delete "$BESIDE/tree/" mirror; (cd "$BESIDE/tree"; echo even more >> long; rmdir in/f1); rsync -a --inplace --delete "$BESIDE/tree/" mirror',
  },
  {
    name: 'npm-ci',
    before: `cd "$BESIDE"; mkdir one two; for p in one two; do echo "{\\"name\\":\\"$p\\",\\"version\\":\\"1.0.0\\",\\"bin\\":\\"index.js\\"}" > $p/package.json; echo "#!/usr/bin/env node" > $p/index.js; mkdir $p/lib; for n in 1 2 3; do echo $n > $p/lib/$n.js; done; (cd $p; npm pack -s --pack-destination ..); done
mkdir app; cd app; echo "{\\"name\\":\\"app\\",\\"version\\":\\"1.0.0\\",\\"dependencies\\":{\\"one\\":\\"file:../one-1.0.0.tgz\\",\\"two\\":\\"file:../two-1.0.0.tgz\\"}}" > package.json; npm install -s --offline --no-audit --no-fund`,
    script:
      'cp "$BESIDE/app/package.json" "$BESIDE/app/package-lock.json" .; ln -s "$BESIDE"/*.tgz ..; npm ci -s --offline --no-audit --no-fund; npm ci -s --offline --no-audit --no-fund',
  },
  {
    name: 'vim-saves',
    before: '',
    script: `seq 300 > text; chmod 640 text
for how in "set backupskip= backupcopy=no" "set backupskip= backupcopy=yes" "set backupskip= backup backupcopy=no" "set nowritebackup nobackup"; do vim -u NONE -N -n -es -c "$how" -c "s/^/x/" -c "w" -c "q" text </dev/null; done
vim -u NONE -N -es -c "set swapfile directory=." -c "s/^/y/" -c "w" -c "$ s/$/z/" -c "wq" text </dev/null`,
  },
  {
    name: 'sed-and-cp',
    before: '',
    script:
      'seq 50 > a; cp -a a b; sed -i s/1/2/ a; sed -i.bak s/2/3/ b; mv -b a b; install -m 755 b c; cp --remove-destination c b; ln -f b d; truncate -s 10 d; gzip c; gunzip c.gz; split -l 10 b part.; rm part.*; mkdir -p x/y; mv b x/y; mv x z; rm -r z',
  },
  {
    name: 'sqlite',
    before: '',
    script:
      'for mode in delete wal truncate; do sqlite3 base.db "pragma journal_mode=$mode; create table if not exists t(a); begin; insert into t values (1),(2); commit; update t set a = a + 1; pragma wal_checkpoint;" > /dev/null; done; sqlite3 base.db \'vacuum\'',
  },
  {
    name: 'make-and-zip',
    before: '',
    script:
      'printf "int main(){return 0;}" > main.c; printf "p: main.o\\n\\tgcc -o p main.o\\nmain.o: main.c\\n\\tgcc -c main.c\\n" > Makefile; make -s; touch -d 2030-01-01 main.c; make -s; strip p; zip -q all.zip main.c p; printf "x" >> main.c; zip -q all.zip main.c',
  },
];
