/** Programs that make, copy, move and remove whole trees, also to and from the disk that is mounted in the folder, and out of it. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { StormProgram } from './program.ts';

const PLACES = ['trees', 'disk/trees'] as const;
const NAMES = ['a', 'b', 'c'] as const;

interface Draw {
  /** A tree that may be there or not. */
  readonly one: string;
  readonly other: string;
  readonly token: string;
  /** From 0 on. */
  readonly number: number;
}

function treeProgram(
  name: string,
  line: (draw: Draw) => string,
  tools: readonly string[] = [],
): StormProgram {
  const tree = (random: SeededRandom): string => `${random.pick(PLACES)}/${random.pick(NAMES)}`;
  return {
    name,
    tools,
    script: (random, token) => {
      const draw = { one: tree(random), other: tree(random), token, number: random.below(3) };
      return `mkdir -p ${PLACES.join(' ')} && ${line(draw)}`;
    },
  };
}

const unpack = (to: string, number: number): string =>
  `mkdir -p ${to} && tar -x -f "$PREPARED/tree-${number}.tar" -C ${to}`;
/** There is something at `one` to work with. */
const has = (one: string): string => `{ [ -d ${one} ] || { ${unpack(one, 0)}; }; }`;

export const TREE_PROGRAMS: readonly StormProgram[] = [
  treeProgram('tar -x', ({ one, number }) => unpack(one, number), ['tar']),
  treeProgram(
    'tar -x of all',
    ({ one }) => [0, 1, 2].map((each) => unpack(one, each)).join(' && '),
    ['tar'],
  ),
  treeProgram('rm -rf and tar -x', ({ one, number }) => `rm -rf ${one} && ${unpack(one, number)}`, [
    'tar',
  ]),
  ...(
    [
      ['rsync', '-a'],
      ['rsync --delete', '-a --delete'],
      ['rsync --inplace', '-a --inplace --no-whole-file'],
      ['rsync --delay-updates', '-a --delay-updates --delete-after'],
      ['rsync -H', '-aH --checksum'],
    ] as const
  ).map(([name, flags]) =>
    treeProgram(name, ({ one, number }) => `rsync ${flags} "$PREPARED/tree-${number}/" ${one}/`, [
      'rsync',
    ]),
  ),
  treeProgram('rm -rf', ({ one }) => `rm -rf ${one}`),
  treeProgram(
    'find -delete',
    ({ one }) => `${has(one)} && find ${one} -name '*3*' -type f -delete`,
  ),
  treeProgram('cp -a', ({ one, other, token }) => `${has(one)} && cp -a ${one} ${other}-${token}`),
  treeProgram(
    'cp -r over',
    ({ one, other }) =>
      `${has(one)} && mkdir -p ${other} && { [ ${one} = ${other} ] || cp -r ${one}/. ${other}/; }`,
  ),
  treeProgram('mv', ({ one, other, token }) => `${has(one)} && mv ${one} ${other}-${token}`),
  treeProgram(
    'mv and back',
    ({ one, token }) => `${has(one)} && mv ${one} ${one}-${token} && mv ${one}-${token} ${one}`,
  ),
  treeProgram(
    'mv of two',
    ({ one, other, token }) =>
      `${has(one)} && ${has(other)} && mv ${one} ${one}.${token} && { [ ! -d ${other} ] || mv ${other} ${one}; }; mv ${one}.${token} ${other}`,
  ),
  treeProgram('mv out', ({ one, token }) => `${has(one)} && mv ${one} "$OUTSIDE/out-${token}"`),
  treeProgram(
    'mv in',
    ({ one, token, number }) =>
      `cp -a "$PREPARED/tree-${number}" "$OUTSIDE/in-${token}" && mv "$OUTSIDE/in-${token}" ${one}-${token}`,
  ),
  treeProgram(
    'mv of files',
    ({ one, other }) =>
      `${has(one)} && mkdir -p ${other} && find ${one} -maxdepth 2 -name 'f1*' -type f -exec mv -f -t ${other} {} +`,
  ),
  treeProgram(
    'chmod -R',
    ({ one, number }) => `${has(one)} && chmod -R ${['u+w,go-w', 'go-rwx', 'a+rX'][number]} ${one}`,
  ),
  treeProgram(
    'touch',
    ({ one, number }) =>
      `${has(one)} && find ${one} -type f -exec touch -d '200${number}-03-04 05:06:07.123456789' {} +`,
  ),
  treeProgram(
    'ln',
    ({ one, token }) =>
      `${has(one)} && for f in $(find ${one} -name 'f*0' -type f); do ln "$f" "$f-${token}"; done`,
  ),
  treeProgram(
    'ln -s',
    ({ one, token }) =>
      `${has(one)} && ln -s ../nowhere ${one}/link-${token} && ln -sfn link-${token} ${one}/link`,
  ),
  treeProgram(
    'file for folder',
    ({ one, token }) => `${has(one)} && rm -rf ${one}/d1 && echo ${token} > ${one}/d1`,
  ),
  treeProgram(
    'folder for file',
    ({ one, token }) =>
      `${has(one)} && rm -rf ${one}/d1 && mkdir ${one}/d1 && echo ${token} > ${one}/d1/${token}`,
  ),
  treeProgram(
    'split',
    ({ one, token }) =>
      `mkdir -p ${one} && head -c 300000 "$PREPARED/large" | split -b 10000 - ${one}/x${token}`,
  ),
  treeProgram(
    'dd',
    ({ one, number }) =>
      `mkdir -p ${one} && dd if="$PREPARED/large" of=${one}/large bs=64k seek=${number} count=8 conv=notrunc status=none`,
  ),
  treeProgram(
    'gzip',
    ({ one }) => `${has(one)} && find ${one} -name 'f2*' -type f -exec gzip -f {} +`,
    ['gzip'],
  ),
];
