/** `godwit doctor`: looks for what may be wrong, and says for each thing what to do. */
import type { Command } from 'commander';
import { readConfig, type DaemonConfig } from '../../../shared/control/config.ts';
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';
import type { Cli } from '../cli.ts';
import { programVersion } from '../../../shared/system/program-version.ts';
import {
  checkConflicts,
  checkDaemon,
  checkErrors,
  checkServer,
  checkVersion,
} from '../doctor/daemon-checks.ts';
import { checkDatabases } from '../doctor/database-checks.ts';
import type { Finding } from '../doctor/finding.ts';
import { checkLogin } from '../doctor/login-check.ts';
import { checkDataFolder, checkSpace, checkFolder } from '../doctor/folder-checks.ts';
import { checkMount } from '../doctor/mount-checks.ts';
import { checkAddon, checkClock, checkNode } from '../doctor/machine-checks.ts';
import { oneVerdict } from '../doctor/verdicts.ts';
import { EXIT } from '../exit-codes.ts';
import { formatCount } from '../format.ts';
import { printable } from '../printable.ts';
import { signed } from '../style.ts';

/**
 * Builds `godwit doctor`, which runs all checks and prints a remedy for each fault. Exit code 1: at
 * least one finding is `bad`; warnings alone leave it 0.
 */
export function doctorCommand(cli: Cli): Command {
  const command = cli.withData('doctor', 'look for what may be wrong');
  return cli.does(command, async (context) => {
    const findings = await examine(context.dataDir);
    const isWell = !findings.some(({ level }) => level === 'bad');
    context.result({ ok: isWell, findings }, linesOf(findings, context.colours));
    return isWell ? EXIT.fine : EXIT.failed;
  });
}

async function examine(dataDir: string): Promise<Finding[]> {
  const config = readConfig(dataDir);
  const [addon, { finding: daemon, status }] = await Promise.all([
    checkAddon(),
    checkDaemon(dataDir),
  ]);
  const data = checkDataFolder(dataDir);
  const findings = [
    checkNode(),
    addon,
    checkClock(status?.link.clockAheadMs ?? null),
    data,
    ...(data.level === 'ok' ? [checkSpace('disk of data', dataDir)] : []),
    ...(config === null ? [] : checkDatabases(dataDir)),
    ...(config === null ? [] : placeChecks(config, status?.errors ?? [])),
    daemon,
    ...checkVersion(status, programVersion()),
    ...checkErrors(status),
    ...checkConflicts(status),
    ...(await checkServer(config, status)),
    ...(config === null ? [] : [checkLogin()]),
  ];
  return oneVerdict(findings, status?.errors ?? []);
}

/** Of a mount nothing is looked at but what is around it: only its daemon could answer. */
function placeChecks(config: DaemonConfig, errors: readonly ErrorStatus[]): Finding[] {
  const isMounted = config.frontEnd === 'mount';
  const folder = isMounted ? [] : checkFolder(config.folder ?? null, errors);
  return [...folder, ...checkMount(config)];
}

const SIGN = { ok: 'well', warn: 'needed', bad: 'wrong' } as const;

/** What is wrong first, each with what to do below it; and how many checks there were. */
function linesOf(findings: readonly Finding[], colours: boolean): string[] {
  const gravest = (level: Finding['level']): Finding[] =>
    findings.filter((finding) => finding.level === level);
  const [bad, warned, well] = [gravest('bad'), gravest('warn'), gravest('ok')];
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = [...bad, ...warned, ...well].flatMap(({ level, check, message, remedy }) => [
    signed(SIGN[level], `${check.padEnd(width)}  ${printable(message)}`, colours),
    ...(remedy === null ? [] : [`  ${' '.repeat(width)}  ${printable(remedy)}`]),
  ]);
  const told = [
    ...(bad.length === 0 ? [] : [`${bad.length} wrong`]),
    ...(warned.length === 0 ? [] : [`${warned.length} to look at`]),
  ];
  const all = formatCount(findings.length, 'check');
  return [...lines, '', told.length === 0 ? `${all}, all fine` : `${all}: ${told.join(', ')}`];
}
