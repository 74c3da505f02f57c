/**
 * What the tray is to know of the daemon: where its data lie, and how to run commands. `godwit tray` tells it; a packaged program, which
 * people start by itself, has all of it beside it.
 */
import { join } from 'node:path';
import type { Program } from '../../first-run/run-command.ts';

export interface TrayArguments extends Program {
  /** The command that starts the tray at the start of a session, without its window. */
  readonly again: readonly string[];
  /** No window at the start: the session has begun. */
  readonly hidden: boolean;
  /** The parent process waits on descriptor 3 for a word. */
  readonly saysReady: boolean;
  /** What the icon shows is written to standard output, too. */
  readonly tells: boolean;
}

/** A program with all that it needs, as electron-builder packages it (build/package/electron-builder.mjs). */
export interface PackagedProgram {
  /** The folder beside the application. */
  readonly resources: string;
  /** What a person starts. */
  readonly program: string;
  /** The data folder where nobody names another one. */
  readonly data: string;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

const HIDDEN = '--godwit-hidden';

/** `argv` may have arguments of Electron's own among them. Throws where one of ours is missing and `packaged` is null. */
export function readArguments(
  argv: readonly string[],
  packaged: PackagedProgram | null,
): TrayArguments {
  const usual = packaged === null ? null : packagedArguments(packaged);
  const valueOf = (name: 'data' | 'node' | 'cli'): string => {
    const flag = `--godwit-${name}=`;
    const found = argv.find((each) => each.startsWith(flag))?.slice(flag.length) ?? usual?.[name];
    if (found === undefined) throw new Error(`${flag}... is missing: start it with godwit tray`);
    return found;
  };
  const [data, node, cli] = [valueOf('data'), valueOf('node'), valueOf('cli')];
  const again =
    packaged === null
      ? [node, cli, 'tray', '--hidden', '--data', data]
      : [packaged.program, HIDDEN, `--godwit-data=${data}`];
  return {
    ...{ data, node, cli, again },
    hidden: argv.includes(HIDDEN),
    saysReady: argv.includes('--godwit-ready'),
    tells: argv.includes('--godwit-tells'),
  };
}

function packagedArguments({ resources, data, platform, arch }: PackagedProgram) {
  const root = join(resources, 'godwit');
  const [system, name] = platform === 'win32' ? ['win', 'node.exe'] : [platform, 'node'];
  return {
    data,
    node: join(root, 'node_modules', `node-${system}-${arch}`, 'bin', name),
    cli: join(root, 'app', 'cli', 'main.ts'),
  };
}
