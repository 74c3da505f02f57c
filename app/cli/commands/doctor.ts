/** `godwit doctor`: looks for what may be wrong, and says for each thing what to do. */
import type { Command } from 'commander';
import { readConfig } from '../../../shared/control/config.ts';
import type { Cli } from '../cli.ts';
import { checkDaemon, checkErrors, checkServer } from '../doctor/daemon-checks.ts';
import { checkDatabases } from '../doctor/database-checks.ts';
import type { Finding } from '../doctor/finding.ts';
import {
  checkDataFolder,
  checkSpace,
  checkSyncedFolder,
  checkWatches,
} from '../doctor/folder-checks.ts';
import { checkAddon, checkClock, checkNode } from '../doctor/machine-checks.ts';
import { EXIT } from '../exit-codes.ts';
import { formatTable } from '../format.ts';
import { printable } from '../printable.ts';

/**
 * Builds `godwit doctor`, which runs all checks and prints a remedy for each fault. Exit code 1: at
 * least one finding is `bad`; warnings alone leave it 0.
 */
export function doctorCommand(cli: Cli): Command {
  const command = cli.withData('doctor', 'look for what may be wrong');
  return cli.does(command, async (context) => {
    const findings = await examine(context.dataDir);
    const isWell = !findings.some(({ level }) => level === 'bad');
    context.result({ ok: isWell, findings }, linesOf(findings));
    return isWell ? EXIT.fine : EXIT.failed;
  });
}

async function examine(dataDir: string): Promise<Finding[]> {
  const config = readConfig(dataDir);
  const folder = config?.folder ?? null;
  const [addon, { finding: daemon, status }] = await Promise.all([
    checkAddon(),
    checkDaemon(dataDir),
  ]);
  const data = checkDataFolder(dataDir);
  const watches = checkWatches(folder);
  return [
    checkNode(),
    addon,
    checkClock(),
    data,
    ...(data.level === 'ok' ? [checkSpace('disk', dataDir)] : []),
    ...(config === null ? [] : checkDatabases(dataDir)),
    ...(config === null ? [] : [checkSyncedFolder(folder)]),
    ...(folder === null ? [] : [checkSpace('disk', folder)]),
    ...(watches === null ? [] : [watches]),
    daemon,
    ...checkErrors(status),
    await checkServer(config, status),
  ];
}

function linesOf(findings: readonly Finding[]): string[] {
  return formatTable(
    findings.map(({ level, check, message, remedy }) => [
      level,
      check,
      printable(remedy === null ? message : `${message}; ${remedy}`),
    ]),
  );
}
