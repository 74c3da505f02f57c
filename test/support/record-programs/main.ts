/**
 * `npm run record-programs -- [NAME]...`: runs real programs under strace, in folders of their own, and writes what they did to files as the steps that
 * the simulated world replays (app/lab/simulator/folder/programs/recorded). It needs Linux with strace, and the programs of scripts.ts.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stepsOf } from './steps-of.ts';
import { SCRIPTS, type RecordedScript } from './scripts.ts';

const TARGET = join(import.meta.dirname, '../../../app/lab/simulator/folder/programs/recorded');
const LIMIT_MS = 120_000;

const asked = process.argv.slice(2);
const known = SCRIPTS.map(({ name }) => name);
const unknown = asked.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(
    `record-programs: there is no program "${unknown}". Give some of ${known.join(', ')}.`,
  );
  process.exit(2);
}
for (const one of SCRIPTS) if (asked.length === 0 || asked.includes(one.name)) record(one);

function record({ name, before, script }: RecordedScript): void {
  const dir = mkdtempSync(join(tmpdir(), 'godwit-recorded-'));
  try {
    const [work, beside] = [join(dir, 'at', 'work'), join(dir, 'beside')];
    for (const path of [work, beside, join(dir, 'log')]) mkdirSync(path, { recursive: true });
    const env = { ...process.env, BESIDE: beside, HOME: beside, LC_ALL: 'C' };
    const how = { env, stdio: 'inherit', timeout: LIMIT_MS } as const;
    execFileSync('sh', ['-ec', before], { ...how, cwd: beside });
    const traced = ['-qq', '-y', '-ff', '-ttt', '-s', '2', '-e', 'trace=file,desc,process'];
    const log = ['-o', join(dir, 'log', 'strace')];
    execFileSync('strace', [...traced, ...log, 'sh', '-ec', script], { ...how, cwd: work });
    const processes = readdirSync(join(dir, 'log')).map((file) => {
      const lines = readFileSync(join(dir, 'log', file), 'latin1').split('\n');
      return { pid: Number(file.split('.').at(-1)), lines };
    });
    const steps = stepsOf(processes, work);
    writeFileSync(join(TARGET, `${name}.ts`), moduleOf(name, steps));
    console.log(`${name}: ${steps.length} steps of ${processes.length} processes`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function moduleOf(name: string, steps: readonly string[]): string {
  const constant = name.toUpperCase().replaceAll('-', '_');
  const head = `/** Recorded by \`npm run record-programs -- ${name}\`: what is read of it is in recorded-steps.ts. */`;
  return `${head}\nexport const ${constant} = String.raw\`\n${steps.join('\n')}\n\`;\n`;
}
