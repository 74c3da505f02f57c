/** git in the synced folder: its `.git` is synced, too. */
import type { StormProgram } from './program.ts';
import { inFolder } from './program.ts';

const CLONE = 'git clone -q "file://$PREPARED/history" clone';

/** In a clone, which is made if there is none. */
function gitProgram(
  name: string,
  line: (pick: number, token: string) => string,
): (folder: string) => StormProgram {
  return (folder) => ({
    name: `git ${name}`,
    tools: ['git'],
    script: (random, token) =>
      `${inFolder(folder)}{ [ -d clone/.git ] || ${CLONE}; } && cd clone && ` +
      line(random.below(1000), token),
  });
}

const commit = (pick: number): string =>
  `commits=$(git rev-list --all) && set -- $commits && shift $((${pick} % $#)) && commit=$1`;
const change = (token: string): string =>
  `echo ${token} > new-${token} && echo ${token} >> part1/d1/f26 && git add -A && git commit -q -m ${token}`;

const PROGRAMS = [
  gitProgram('checkout', (pick) => `${commit(pick)} && git checkout -q -f --detach "$commit"`),
  gitProgram('checkouts', (pick) =>
    [pick, pick + 7, pick + 19]
      .map((each) => `${commit(each)} && git checkout -q -f --detach "$commit"`)
      .join(' && '),
  ),
  gitProgram('commit', (_, token) => `mkdir -p part1/d1 && ${change(token)}`),
  gitProgram(
    'rebase',
    (pick, token) =>
      `git checkout -q -f -B topic origin/side-${pick % 6} && mkdir -p part1/d1 && ${change(token)} && ` +
      '{ git rebase -q -X theirs origin/main || git rebase --abort; }',
  ),
  gitProgram(
    'merge',
    (pick) =>
      `git checkout -q -f -B merged origin/main && { git merge -q -X ours -m merged origin/side-${pick % 6} || ` +
      'git merge --abort; }',
  ),
  gitProgram('gc', () => 'git reflog expire --expire=now --all && git gc -q --prune=now'),
  gitProgram('repack', () => 'git repack -q -a -d -f'),
  gitProgram(
    'stash',
    (_, token) => `echo ${token} > part1/stashed; git stash -q -u && git stash pop -q`,
  ),
  gitProgram('reset', () => 'git reset -q --hard && git clean -q -f -d -x'),
  gitProgram('away', () => `cd .. && rm -rf clone && ${CLONE}`),
  gitProgram('moved', () => 'cd .. && mv clone moved && mv moved clone'),
  gitProgram(
    'worktree',
    (pick, token) =>
      `git worktree add -q --detach ../tree-${token} origin/side-${pick % 6} && git worktree remove -f ../tree-${token}`,
  ),
];

export const gitIn = (folder: string): StormProgram[] => PROGRAMS.map((make) => make(folder));
