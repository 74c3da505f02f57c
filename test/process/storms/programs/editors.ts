/** Editors and scripts that save a text: each in a way of its own. */
import type { StormProgram } from './program.ts';

const PLACES = ['texts', 'disk/texts'] as const;
const FILES = ['one.txt', 'two.txt', 'three.md', 'notes/four.txt'] as const;

function save(
  name: string,
  line: (file: string, token: string) => string,
  tools: readonly string[] = [],
): StormProgram {
  return {
    name,
    tools,
    script: (random, token) => {
      const times = Array.from({ length: random.between(1, 4) }, (_, time) => {
        const file = `${random.pick(PLACES)}/${random.pick(FILES)}`;
        return `{ ${line(file, `${token}.${time}`)}; }`;
      });
      return `mkdir -p ${PLACES.map((place) => `${place}/notes`).join(' ')} && ${times.join(' && ')}`;
    },
  };
}

/** The new text, a few lines and now and then many, into a program or file. */
const text = (token: string): string => `seq -f '${token} line %g' 1 200`;
const vim = (settings: string, file: string, token: string): string =>
  `vim -e -s -u NONE -i NONE -N -c 'set ${settings}' -c '$put =\\"${token}\\"' -c wq ${file}`;

export const EDITORS: readonly StormProgram[] = [
  save('vim', (file, token) => vim('backupcopy=no writebackup', file, token), ['vim']),
  save('vim, a copy as backup', (file, token) => vim('backupcopy=yes backup', file, token), [
    'vim',
  ]),
  save('vim, undo file', (file, token) => vim('undofile undodir=.', file, token), ['vim']),
  save(
    'sed -i',
    (file, token) =>
      `[ -s ${file} ] || ${text(token)} > ${file}; sed -i -e '1s/.*/${token}/' ${file}`,
    ['sed'],
  ),
  save(
    'perl -i',
    (file, token) => `echo ${token} >> ${file} && perl -i.orig -pe 's/line/row ${token}/' ${file}`,
    ['perl'],
  ),
  save('like Emacs', (file, token) => {
    const lock = file.replace(/[^/]*$/, '.#$&');
    return (
      `ln -s ada@laptop.4711 ${lock} && { [ ! -f ${file} ] || mv ${file} ${file}~; } && ` +
      `${text(token)} > ${file} && sync ${file} && rm ${lock}`
    );
  }),
  save(
    'a temporary file renamed',
    (file, token) =>
      `${text(token)} > ${file}.tmp && sync ${file}.tmp && mv -f ${file}.tmp ${file}`,
  ),
  save(
    'a second name as backup',
    (file, token) =>
      `{ [ ! -f ${file} ] || ln -f ${file} ${file}.bak; } && ${text(token)} > ${file}.new && mv -f ${file}.new ${file} && rm -f ${file}.bak`,
  ),
  save('by a third name', (file, token) => {
    const old = `${file}.old`;
    return `${text(token)} > ${file}.fresh && { [ ! -f ${file} ] || mv -f ${file} ${old}; } && mv -f ${file}.fresh ${file} && rm -f ${old}`;
  }),
  save('over the old text', (file, token) => `${text(token)} > ${file}`),
  save('appended', (file, token) => `for i in 1 2 3 4 5; do echo "${token} $i" >> ${file}; done`),
  save('in place', (file, token) => `${text(token)} | dd of=${file} conv=notrunc status=none`),
  save('truncate', (file, token) => `echo ${token} >> ${file} && truncate -s 20 ${file}`),
  save('same length and time', (file, token) => {
    const same = `touch -d '2001-02-03 04:05:06' ${file}`;
    return `printf 'x%s' ${token} > ${file} && ${same} && printf 'y%s' ${token} > ${file} && ${same}`;
  }),
  save('tee -a', (file, token) => `${text(token)} | tee -a ${file} > /dev/null`),
  save('sort -o', (file, token) => `echo ${token} >> ${file} && sort -r -o ${file} ${file}`),
  save(
    'install',
    (file, token) =>
      `echo ${token} > "$OUTSIDE/${token}" && install -m 640 "$OUTSIDE/${token}" ${file}`,
  ),
  save(
    'patch',
    (file, token) =>
      `printf 'old\\n' > ${file} && printf -- '--- a\\n+++ b\\n@@ -1 +1 @@\\n-old\\n+%s\\n' ${token} | patch -s ${file}`,
    ['patch'],
  ),
  save('rm', (file) => `rm -f ${file}`),
  save('mv', (file, token) => `echo ${token} >> ${file} && mv ${file} ${file}-${token}`),
];
