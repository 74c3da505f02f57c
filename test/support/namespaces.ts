/** What a machine lets a test do to itself: mounts of its own, fewer rights, few watches. The names of tests say what it does not. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

function works(command: readonly string[]): boolean {
  const [program = '', ...args] = command;
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

const MOUNTS = ['unshare', '--mount', '--propagation', 'private', '--'];
/** A root without these goes by the modes of files as everybody does. */
const ORDINARY = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search', '--'];

const canMount = works([...MOUNTS, 'mount', '-t', 'tmpfs', 'none', '/mnt']);
const isOrdinary = process.getuid?.() !== 0;
const canBeOrdinary = isOrdinary || works([...ORDINARY, 'true']);

/** Why tests cannot mount here, or null; for `itNeeds`. */
export const missingForMounts = canMount ? null : 'it takes root to mount';
export const missingForOrdinary = canBeOrdinary
  ? null
  : 'root may read all, and there is no setpriv';

/** The words before a command that is to respect file modes, also as root. */
export const asOrdinary: readonly string[] = isOrdinary ? [] : ORDINARY;

/** A namespace of mounts, for as long as it is not ended. */
export class MountNamespace {
  readonly holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.holder = holder;
  }

  static async make(): Promise<MountNamespace> {
    const [program = '', ...args] = MOUNTS;
    // It ends with this process, which holds its other end.
    const holder = spawn(program, [...args, 'sh', '-c', 'echo here; cat > /dev/null']);
    if (holder.stdout === null) throw new Error('a pipe has an end');
    await once(holder.stdout, 'data');
    return new MountNamespace(holder);
  }

  /** The words before a command that is to run in it. */
  get within(): string[] {
    return ['nsenter', '--target', String(this.holder.pid), '--mount', '--'];
  }

  run(...command: string[]): void {
    this.output(...command);
  }

  output(...command: string[]): string {
    const [program = '', ...args] = [...this.within, ...command];
    const { status, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
    return stdout;
  }
}
