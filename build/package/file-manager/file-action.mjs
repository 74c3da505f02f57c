/**
 * What the menus of file managers do with the files that are selected: `file-action ACTION FILE...`, where a file is a whole path or a
 * file:// address. It runs `godwit`, and shows what that says in a dialog. No shell reads a name, and no name is taken for a flag.
 */
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const TITLE = 'Godwit';
const SUFFIX = '.godwit';
/** Rows of versions in the dialog: more are in the window. */
const MOST_VERSIONS = 50;
/** Where there is no screen, what copies may hang. */
const COPY_LIMIT_MS = 5000;
/** Of what a command prints. */
const MOST_OUTPUT = 16 * 1024 * 1024;

const ACTIONS = {
  state: (files) => tell(said(['status', '--', files[0]], files[0])),
  versions: (files) => tell(said(['versions', '--', files[0]], files[0])),
  restore: (files) => restore(files[0]),
  keep: (files) => tell(said(['pin', '--', ...files], files[0])),
  free: (files) => tell(said(['evict', '--', ...files], files[0])),
  resolution: (files) => copyResolution(files[0]),
};

function main([action = '', ...given]) {
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : null;
  if (act === null || given.length === 0) {
    process.stderr.write(`usage: file-action ${Object.keys(ACTIONS).join('|')} FILE...\n`);
    process.exitCode = 2;
    return;
  }
  try {
    act(given.map(fileOf));
  } catch (error) {
    tell({ text: error.message, isWrong: true });
    process.exitCode = 1;
  }
}

/** The file that is meant, also where its placeholder is selected. */
function fileOf(given) {
  const path = given.startsWith('file://') ? fileURLToPath(given) : given;
  if (!path.startsWith('/')) throw new Error(`${given}: that is no file of this machine`);
  const name = basename(path);
  const isPlaceholder = name.endsWith(SUFFIX) && name !== SUFFIX;
  return isPlaceholder ? path.slice(0, -SUFFIX.length) : path;
}

/** What a command says to people. */
function said(args, file) {
  const { status, stdout, stderr, error } = spawnSync('godwit', args, run(file));
  if (error !== undefined) throw new Error(`godwit: ${error.message}`);
  const text = [stdout, stderr].map((part) => part.trim()).filter((part) => part !== '');
  return { text: text.join('\n') || 'done', isWrong: status !== 0 };
}

/** What a command says to programs. Throws its error. */
function told([name, ...args], file) {
  const { status, stdout, error } = spawnSync('godwit', [name, '--json', ...args], run(file));
  if (error !== undefined) throw new Error(`godwit: ${error.message}`);
  const answer = JSON.parse(stdout.split('\n', 1)[0] || '{}');
  if (status === 0) return answer;
  const { message = `godwit ${name} ended with ${status}`, remedy = '' } = answer.error ?? {};
  throw new Error(remedy === '' ? message : `${message}; ${remedy}`);
}

/** Where the file lies, so that its daemon is asked. */
const run = (file) => ({
  ...{ encoding: 'utf8', maxBuffer: MOST_OUTPUT, stdio: ['ignore', 'pipe', 'pipe'] },
  cwd: existsSync(dirname(file)) ? dirname(file) : '/',
});

function restore(file) {
  const { versions } = told(['versions', '--', file], file);
  const kept = versions.filter(({ present, kept: isKept }) => isKept && !present);
  if (kept.length === 0)
    return tell({ text: `${basename(file)}: there is no older version`, isWrong: false });
  const rows = kept
    .slice(0, MOST_VERSIONS)
    .map(({ number, when, by, size }) => [
      String(number),
      `${new Date(when).toLocaleString()}, ${size} bytes, by ${by ?? 'somebody'}`,
    ]);
  const chosen = choose(`Which version of ${basename(file)} is to come back?`, rows);
  if (chosen === null) return;
  if (!kept.some(({ number }) => String(number) === chosen)) return;
  tell(said(['restore', '--version', chosen, '--', file], file));
}

/** The commands that end the conflict of a file, for a terminal. */
function copyResolution(file) {
  const { folder } = told(['status'], file);
  const place = join(realpathSync(dirname(file)), basename(file));
  const name = relative(realpathSync(folder ?? ''), place)
    .split(sep)
    .join('/');
  const { conflicts } = told(['conflicts'], file);
  const isOf = (side) => side.replace(/^\//, '') === name;
  const found = conflicts.find(({ path, copy: other }) => isOf(path) || isOf(other));
  if (found === undefined) {
    return tell({ text: `${basename(file)}: it is in no conflict`, isWrong: false });
  }
  const { id } = found;
  const lines = [
    `godwit conflicts show ${id}`,
    ...['mine', 'theirs', 'both'].map((side) => `godwit conflicts resolve ${id} --keep ${side}`),
  ];
  const isCopied = copy(`${lines.join('\n')}\n`);
  tell({ text: [isCopied ? 'Copied:' : 'In a terminal:', ...lines].join('\n'), isWrong: false });
}

function isProgram(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

/** The first that is there; those of the desktop that runs come first. */
function dialogs() {
  const isKde = /kde/i.test(process.env.XDG_CURRENT_DESKTOP ?? '');
  const both = isKde ? ['kdialog', 'zenity'] : ['zenity', 'kdialog'];
  return both.find(isProgram) ?? null;
}

/** Shows a text as it is: what looks like markup in a name is none. */
function tell({ text, isWrong }) {
  const dialog = dialogs();
  if (dialog === 'zenity') {
    const size = ['--width=640', '--height=360'];
    spawnSync('zenity', ['--text-info', `--title=${TITLE}`, ...size], { input: text });
  } else if (dialog === 'kdialog') {
    inFile(text, (path) =>
      spawnSync('kdialog', ['--title', TITLE, '--textbox', path, '640', '360']),
    );
  } else if (isProgram('notify-send')) {
    const urgency = isWrong ? 'critical' : 'normal';
    const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    spawnSync('notify-send', ['--icon=godwit', `--urgency=${urgency}`, '--', TITLE, safe]);
  }
  (isWrong ? process.stderr : process.stdout).write(`${text}\n`);
  if (isWrong) process.exitCode = 1;
}

function inFile(text, work) {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-says-'));
  try {
    const path = join(folder, 'text');
    writeFileSync(path, text, { mode: 0o600 });
    work(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The first column of the row that a person has chosen; null: none. */
function choose(question, rows) {
  const dialog = dialogs();
  if (dialog === null)
    throw new Error('install zenity or kdialog to choose a version, or use `godwit ui`');
  const plain = question.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const args =
    dialog === 'zenity'
      ? [
          ...['--list', `--title=${TITLE}`, `--text=${plain}`, '--width=640', '--height=360'],
          ...['--column=Version', '--column=Written', ...rows.flat()],
        ]
      : ['--title', TITLE, '--menu', plain, ...rows.flat()];
  const { status, stdout } = spawnSync(dialog, args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** False: there is nothing that copies, or it has failed. It leaves a process of its own behind, which gives the text to whoever pastes it. */
function copy(text) {
  const isWayland = (process.env.WAYLAND_DISPLAY ?? '') !== '';
  const [program, ...args] =
    [
      ...(isWayland ? [['wl-copy']] : []),
      ['xclip', '-selection', 'clipboard'],
      ['xsel', '-b', '-i'],
    ].find(([name]) => isProgram(name)) ?? [];
  if (program === undefined) return false;
  const { status } = spawnSync(program, args, {
    input: text,
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: COPY_LIMIT_MS,
  });
  return status === 0;
}

main(process.argv.slice(2));
