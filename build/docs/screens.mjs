/**
 * `npm run docs:screens`: the pictures of the window in docs/images, from a real server and two real laptops of this machine
 * behind slow links, and the page of an experiment; `-- window` or `-- experiment` makes one of these. It needs Chromium (GODWIT_CHROMIUM names another one).
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { onPath, sandboxArguments } from '../../test/support/programs.ts';
import { findNode, ROOT } from '../node-path.mjs';

const IMAGES = join(ROOT, 'docs', 'images');
const WIDTH = 420;
const WIDE = 860;
const RATE = '512KiB/s';
const FILM_BYTES = 48 * 1024 * 1024;
const WAIT_MS = 300_000;
/** Some of the film has gone when its picture is taken. */
const UNDER_WAY = ['2', '3', '4']
  .map((tenths) => `.moving .bar[data-share^="0.${tenths}"]`)
  .join(', ');

const folder = mkdtempSync(join(tmpdir(), 'godwit-screens-'));
const running = [];

function start(args) {
  const command = [join(ROOT, 'app', 'cli', 'main.ts'), ...args];
  return spawn(findNode(), command, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** What a command prints until it ends. */
async function godwit(...args) {
  const child = start(args);
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`godwit ${args.join(' ')}: exit code ${code}`);
  return Buffer.concat(chunks).toString().trim();
}

/** The first object of a command that stays. */
async function staying(...args) {
  const child = start([...args, '--json']);
  running.push(child);
  const [line] = await once(createInterface(child.stdout), 'line');
  return JSON.parse(line);
}

async function laptop(server, name) {
  const { listening } = await staying(
    'link',
    '--to',
    server.listening,
    '--rate',
    RATE,
    '--delay',
    '20ms',
  );
  const invitation = await godwit(
    'server',
    'invite',
    '--data',
    server.data,
    '--address',
    listening,
  );
  const [data, place] = [join(folder, name), join(folder, `${name}-folder`)];
  const names = ['--data', data, '--folder', place, '--name', name];
  await staying('up', '--foreground', ...names, '--invite', invitation);
  return { folder: place, run: (...args) => godwit(...args, '--data', data) };
}

function write(at, path, contents) {
  mkdirSync(join(at, path, '..'), { recursive: true });
  writeFileSync(join(at, path), contents);
}

function fill(at) {
  for (let chapter = 1; chapter <= 5; chapter++) {
    write(at, `thesis/chapter-${chapter}.tex`, `\\chapter{${chapter}}\n`.repeat(400 * chapter));
  }
  for (let photo = 1; photo <= 4; photo++)
    write(at, `Photos/coast ${photo}.jpg`, randomBytes(90_000));
  write(at, 'letters/draft.txt', 'Dear Ann,\n\nthe train is late again.\n\nYours\n');
}

async function conflict(one, other) {
  await one.run('pause');
  write(one.folder, 'letters/draft.txt', 'Dear Ann,\n\nthe train is on time.\n\nYours, Bob\n');
  write(other.folder, 'letters/draft.txt', 'Dear Ann,\n\nI take the bus.\n\nYours\n');
  await other.run('flush', '--wait');
  await one.run('resume');
  await one.run('flush', '--wait');
}

async function shoot(page, name) {
  // No row is under the pointer.
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(IMAGES, name), fullPage: true });
}

async function windows(browser) {
  const data = join(folder, 'server');
  const { listening } = await staying('server', '--data', data, '--listen', '127.0.0.1:0');
  const server = { data, listening };
  const [one, other] = [await laptop(server, 'laptop'), await laptop(server, 'desk')];
  fill(one.folder);
  await one.run('flush', '--wait');
  await other.run('flush', '--wait');
  await one.run('group', 'create', 'thesis', '/thesis');
  await one.run('pin', '/letters');
  await one.run('sharing', '/letters', 'shared');
  await one.run('evict', '/Photos/coast 4.jpg');
  await conflict(one, other);
  const page = await browser.newPage({ viewport: { width: WIDE, height: 600 } });
  await page.goto(await one.run('ui', '--print'));
  await page.locator('[data-pane=conflicts]').click();
  await page.locator('.side mark').last().waitFor();
  await page.getByText('From desk, at its place').waitFor();
  await shoot(page, 'window-conflict.png');
  const [{ id }] = JSON.parse(await one.run('conflicts', '--json')).conflicts;
  await one.run('conflicts', 'resolve', String(id), '--keep', 'theirs');
  await page.locator('[data-pane=files]').click();
  await page.getByRole('button', { name: 'Photos', exact: true }).click();
  await page.getByText('coast 4.jpg').waitFor();
  await shoot(page, 'window-files.png');
  write(one.folder, 'the-long-flight.mp4', randomBytes(FILM_BYTES));
  for (let photo = 5; photo <= 9; photo++)
    write(one.folder, `Photos/coast ${photo}.jpg`, randomBytes(900_000));
  await page.setViewportSize({ width: WIDTH, height: 640 });
  await page.locator('[data-pane=home]').click();
  await page.getByRole('button', { name: 'It was me' }).click();
  await page.locator(UNDER_WAY).first().waitFor({ timeout: WAIT_MS });
  await shoot(page, 'window.png');
  await page.close();
}

async function experiment(browser) {
  const report = join(folder, 'fig7.html');
  // A failed check shows in the exit code, and on the page.
  await godwit('bench', 'fig7', '--simulate', '--quiet', '--html', report).catch(() => undefined);
  const page = await browser.newPage({ viewport: { width: 1000, height: 930 } });
  await page.goto(pathToFileURL(report).href);
  // With the first figure, whole.
  const { y, height } = await page.locator('svg').first().boundingBox();
  const clip = { x: 0, y: 0, width: 1000, height: Math.ceil(y + height) };
  await page.screenshot({ path: join(IMAGES, 'experiment.png'), clip, fullPage: true });
  await page.close();
}

const executablePath =
  process.env['GODWIT_CHROMIUM'] ?? onPath('chromium', 'chromium-browser', 'google-chrome');
const browser = await chromium.launch({ executablePath, args: sandboxArguments() });
try {
  const asked = process.argv.slice(2);
  const isAsked = (name) => asked.length === 0 || asked.includes(name);
  if (isAsked('window')) await windows(browser);
  if (isAsked('experiment')) await experiment(browser);
} finally {
  await browser.close();
  for (const child of running.reverse()) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'close');
  }
  rmSync(folder, { recursive: true, force: true });
}
