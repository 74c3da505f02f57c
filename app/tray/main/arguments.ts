/** What `godwit tray` tells the tray it starts: where the daemon's data lie, and how to run commands. */

export interface TrayArguments {
  /** The data folder of the daemon. */
  readonly data: string;
  /** A Node that runs the CLI, and the CLI. */
  readonly node: string;
  readonly cli: string;
  /** No window at the start: the session has begun. */
  readonly hidden: boolean;
  /** Whoever started us waits on descriptor 3 for a word. */
  readonly saysReady: boolean;
  /** What the icon shows is written to standard output, too. */
  readonly tells: boolean;
}

/** `argv` may have arguments of Electron's own among them. Throws where one of ours is missing. */
export function readArguments(argv: readonly string[]): TrayArguments {
  const valueOf = (name: string): string => {
    const found = argv.find((each) => each.startsWith(`--${name}=`));
    if (found === undefined) throw new Error(`--${name}=... is missing: start it with godwit tray`);
    return found.slice(name.length + 3);
  };
  return {
    data: valueOf('godwit-data'),
    node: valueOf('godwit-node'),
    cli: valueOf('godwit-cli'),
    hidden: argv.includes('--godwit-hidden'),
    saysReady: argv.includes('--godwit-ready'),
    tells: argv.includes('--godwit-tells'),
  };
}
