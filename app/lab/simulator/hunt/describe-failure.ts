/** Findings and plans as text that a person can read. */
import type { Finding } from '../check/finding.ts';
import { LAPTOP_NAMES } from '../cluster/cluster.ts';
import { isMachineDetail } from '../plan/machines-of.ts';
import { describe } from '../plan/operation.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { FaultEvent, LaptopPlan, Plan, PlanEntry, PlanSettings } from '../plan/plan.ts';
import type { Failure } from '../shorten/failure.ts';

/** More of a list are in the saved plan. */
const MOST_ENTRIES_TOLD = 200;
const MOST_FINDINGS_TOLD = 20;

const VERBS: Readonly<Partial<Record<string, string>>> = {
  write: 'writes',
  'safe-save': 'safe-saves',
  append: 'appends to',
  patch: 'patches',
  abandon: 'abandons a write of',
  'late-save': 'finds, and saves later,',
  scratch: 'makes and removes',
  read: 'reads',
  'read-through': 'reads through',
  hold: 'holds open',
  list: 'lists',
  readlink: 'reads the link',
  rename: 'renames',
  exchange: 'exchanges',
  remove: 'removes',
  'remove-tree': 'removes all of',
  mkdir: 'makes the folder',
  rmdir: 'removes the folder',
  link: 'links',
  chmod: 'changes the mode of',
  utimes: 'changes the time of',
  xattr: 'changes an attribute of',
  symlink: 'makes the symbolic link',
  flush: 'flushes, beginning at',
};

export interface FailureReport {
  readonly seed: number;
  readonly commit: string;
  readonly failure: Failure;
  /** Where its plan is; null: it could not be written. */
  readonly file: string | null;
  /** The command that runs the whole history. */
  readonly command: string;
}

/** Writes a failure for people: its findings, its shortened plan, and how to run it again. */
export function describeFailureAt({ seed, commit, failure, file, command }: FailureReport): string {
  const { findings, shortened, report, entries } = failure;
  const { plan, runs, done } = shortened;
  const lines = [`seed ${seed} fails, commit ${commit}`];
  if (runs > 0) {
    lines.push(...findings.slice(0, MOST_FINDINGS_TOLD).map(describeBriefly));
    const end = done ? 'nothing more can be left out' : 'ended there; more may be left out';
    lines.push(
      `shortened from ${entries} events to ${plan.entries.length} in ${runs} runs (${end}):`,
    );
  }
  lines.push(...describePlan(plan), ...describeFindings(report.findings));
  if (file !== null) lines.push(`again: godwit sim --replay ${shellWord(file)}`);
  lines.push(`whole: ${command}`);
  return `${lines.join('\n')}\n`;
}

/** Writes the first `MOST_FINDINGS_TOLD` findings, and how many more there are. */
export function describeFindings(findings: readonly Finding[]): string[] {
  const told = findings.slice(0, MOST_FINDINGS_TOLD).map(describeFinding);
  const more = findings.length - told.length;
  return more > 0 ? [...told, `and ${more} more`] : told;
}

function describeFinding({ checker, text }: Finding): string {
  return `FOUND ${checker}: ${text}`;
}

/** Its first line. */
export function describeBriefly(finding: Finding): string {
  return describeFinding(finding).split('\n', 1)[0] ?? '';
}

/** The world in two lines, then one line for each entry. */
export function describePlan({ settings, entries }: Plan): string[] {
  const told = entries.slice(0, MOST_ENTRIES_TOLD).map(describeEntry);
  const more = entries.length - told.length;
  return [
    `laptops: ${settings.laptops.map(describeLaptop).join(', ')}`,
    `world: ${describeWorld(settings)}`,
    ...told,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function describeLaptop({ volume, rights, frontEnd, ...more }: LaptopPlan, index: number): string {
  const about = [
    `volume ${volume}`,
    ...(rights === 'read' ? ['read only'] : []),
    ...(frontEnd === 'none' ? ['no folder'] : []),
    ...Object.entries(more).map(([name, value]) => `${name} ${String(value)}`),
  ];
  return `${nameOf(index)} (${about.join(', ')})`;
}

function describeWorld({ laptops, diskMs, network, ...more }: PlanSettings): string {
  void laptops;
  const { delayMs, bytesPerSecond, ...path } = network;
  const about = [
    `disks answer within ${diskMs} ms`,
    `network ${delayMs} ms one way`,
    ...(bytesPerSecond === null ? [] : [`${bytesPerSecond} bytes a second`]),
    ...Object.entries({ ...path, ...more }).map(([name, value]) => `${name} ${String(value)}`),
  ];
  return about.join(', ');
}

function describeEntry(entry: PlanEntry): string {
  const at = (entry.at / 1000).toFixed(3).padStart(9);
  if (entry.kind === 'fault') return `${at} s  fault: ${describeFault(entry.fault)}`;
  return `${at} s  ${nameOf(entry.laptop)} ${describeOperation(entry.operation)}`;
}

function describeOperation(operation: FileOperation): string {
  const told = describe(operation);
  const verb = VERBS[operation.do];
  return verb === undefined ? told : `${verb}${told.slice(operation.do.length)}`;
}

function describeFault({ family, lastsMs, ...details }: FaultEvent): string {
  const machines = Object.entries(details).filter(([name]) => isMachineDetail(name));
  const who = machines.map(([, index]) => ` ${nameOf(Number(index))}`).join('');
  const rest = Object.entries(details)
    .filter(([name]) => !isMachineDetail(name))
    .map(([name, value]) => `${name} ${String(value)}`);
  const particulars = rest.length === 0 ? '' : ` (${rest.join(', ')})`;
  const time = lastsMs === 0 ? '' : ` for ${lastsMs / 1000} s`;
  return `${family}${who}${particulars}${time}`;
}

function nameOf(index: number): string {
  return index < 0 ? 'the server' : (LAPTOP_NAMES[index] ?? `laptop ${index}`);
}

/** As a shell takes it. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
