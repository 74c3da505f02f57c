/**
 * What the programs are run with: each command is begun by another one that sets its class of the kernel's scheduler.
 *
 * A sync of the disk needs the kernel's own threads (`kblockd` sends what empties the disk's cache), on the core where it was asked for. They are of the ordinary
 * class. So a busy server in real time keeps them from that core, for up to a second, and the saves of all wait for them.
 */

/**
 * `quiet`: the machine has no other work. `realtime`: it has, and the server and the device go before all of it; for asks, and for saves in memory. `weighted`: the server
 * has the most weight of the ordinary class instead, and short turns, so the kernel's own threads go before it; for saves on a disk. `equal`: all are ordinary
 * processes; no figures, but nobody starves however busy the machine is.
 */
export type Mode = 'quiet' | 'realtime' | 'weighted' | 'equal';
export type Role = 'server' | 'attacker';

/**
 * The attacker's share, in a session of its own. The idle class counts among the processes of a session alone where the kernel gives each session the same weight
 * (`autogroup`): in that of the device it would have as much as the server. Where there are no such weights nothing is lost.
 */
const LEAST = [
  ...['setsid', 'sh', '-c', '{ echo 19 > /proc/self/autogroup; } 2> /dev/null; exec "$@"', 'sh'],
  ...['chrt', '--idle', '0'],
];

/** The server's, below that of the device. */
const REALTIME = ['chrt', '--rr', '1'];
/** By the manual of sched_setattr(2). */
const SYSCALLS: Partial<Record<NodeJS.Architecture, number>> = { x64: 314, arm64: 274 };
const TURN_NS = 100_000;

/** Whether the server and the device go before other work. */
export function goesFirst(mode: Mode): boolean {
  return mode === 'realtime' || mode === 'weighted';
}

/** The start of a command of that role. Throws where the mode is not known to work on this machine. */
export function classOf(role: Role, mode: Mode): string[] {
  if (role === 'attacker') return mode === 'quiet' ? LEAST : ['chrt', '--other', '0'];
  if (!goesFirst(mode)) return ['chrt', '--other', '0'];
  return mode === 'realtime' ? REALTIME : weighted();
}

/** A session of its own: where the kernel gives each session the same weight (`autogroup`), that of a process counts in its session alone. */
function weighted(): string[] {
  const number = SYSCALLS[process.arch];
  if (number === undefined) throw new Error(`--weighted is not known on ${process.arch}`);
  const script = [
    'POSIX::setsid()',
    'my $group',
    'open($group, ">", "/proc/self/autogroup") and print($group "-20") and close($group)',
    `my $wish = pack("LLQlLQQQ", 48, 0, 0, -20, 0, ${TURN_NS}, 0, 0)`,
    `syscall(${number}, 0, $wish, 0) == 0 or die("--weighted: $!\\n")`,
    'exec(@ARGV) or die("$ARGV[0]: $!\\n")',
  ];
  return ['perl', '-MPOSIX', '-e', script.join('; ')];
}
