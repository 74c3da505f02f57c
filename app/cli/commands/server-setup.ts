/**
 * `godwit server setup`: from an installed program to a server that the first laptop can join. It may be run again, and changes what
 * is different.
 */
import { createSocket } from 'node:dgram';
import { mkdirSync, readFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { formatHostPort, type HostPort } from '../../../shared/model/host-port.ts';
import { writeDurably } from '../../../shared/system/durable-file.ts';
import { NativeHost } from '../../../shared/transport/native-host.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { asUsage } from '../arguments.ts';
import { spawnGodwit } from '../children.ts';
import { flag, SERVER_PREFIX, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { firewallLines } from '../setup/firewall.ts';
import * as service from '../setup/installed-service.ts';
import { interview, portOf, type Talk } from '../setup/interview.ts';
import { invitationHelp, qrLines } from '../setup/invitation-lines.ts';
import { guessAddress, parsePublicAddress } from '../setup/public-address.ts';
import { parseSettings, withSettings } from '../setup/server-config.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

const USUAL_PORT = 4433;
const EVERYWHERE = '0.0.0.0';
const HOURS = 24;
/** No secret is in the settings. */
const READABLE = 0o644;
const COLUMNS = 80;
const LISTEN = 'GODWIT_SERVER_LISTEN';
const ADDRESS = 'GODWIT_SERVER_ADDRESS';
const DATA = 'GODWIT_SERVER_DATA';

interface SetupFlags extends ServerFlags {
  readonly address?: string;
  readonly port?: number;
  readonly config?: string;
  readonly withoutInvitation?: boolean;
}

interface Plan {
  readonly address: HostPort;
  readonly listen: HostPort;
  readonly dataDir: string;
  /** null: nothing on this machine reads one. */
  readonly config: string | null;
  readonly before: string;
  readonly ofService: boolean;
}

/** Builds `godwit server setup`. */
export function setupCommand(cli: Cli): Command {
  const command = serverLeaf(
    cli,
    'setup',
    'set a server up: address, port, service, first invitation',
  );
  const add = (flags: string, text: string, parse?: (value: string) => unknown) =>
    flag(command, flags, text, SERVER_PREFIX, parse);
  add(
    '--address <host[:port]>',
    'where laptops find the server; left out: it is asked for',
    checkAddress,
  );
  add('--port <port>', `UDP port to listen on (default: ${USUAL_PORT})`, portOf);
  add('--config <file>', `settings to write (default: ${service.SERVICE_CONFIG}, for the service)`);
  add('--without-invitation', 'make no invitation');
  return cli.does<SetupFlags>(command, setUp);
}

/** Its port may follow, from another flag or the settings. */
function checkAddress(text: string): string {
  asUsage(parsePublicAddress)(text, USUAL_PORT);
  return text;
}

async function setUp(context: Context, flags: SetupFlags): Promise<void> {
  const plan = await planOf(context, flags);
  const { address, listen, dataDir, config, before } = plan;
  const runner = service.runnerFor(dataDir, plan.ofService);
  const settings = new Map([
    [LISTEN, formatHostPort(listen)],
    [ADDRESS, formatHostPort(address)],
    [DATA, dataDir],
  ]);
  const text = withSettings(before, settings);
  const changed = config !== null && text !== before;
  mustNotMove(plan, parseSettings(before).get(DATA));
  service.prepareData(dataDir, runner);
  // Nothing is written before the server has run with it.
  const tried = await tryServer(plan, runner, parseSettings(before).get(LISTEN) ?? null);
  if (changed) writeSettings(config, text);
  const started = startOf(plan, changed);
  const open = flags.withoutInvitation === true ? 0 : await openInvitations(plan, runner);
  const invites = flags.withoutInvitation !== true && open === 0;
  const invitation = invites ? await invite(plan, runner) : null;
  const lines = [
    `The server listens on UDP port ${listen.port}; laptops find it at ${formatHostPort(address)}.`,
    ...(address.port === listen.port ? [] : [forwarded(plan)]),
    `Its data are in ${dataDir}.`,
    ...(config === null ? [] : [`${changed ? 'Written' : 'Unchanged'}: ${config}`]),
    ...startLines(plan, started, tried),
    '',
    ...firewallLines(listen.port, service.isOnPath),
    ...(open === 0 ? [] : ['', openText(open)]),
    ...(invitation === null ? [] : invitationText(context, invitation)),
  ];
  const said = { address: formatHostPort(address), listen: formatHostPort(listen), data: dataDir };
  context.result({ ...said, config, changed, service: started, invitation }, lines);
}

async function planOf(context: Context, flags: SetupFlags): Promise<Plan> {
  const ofService = flags.config === undefined && service.isInstalled();
  if (ofService && !service.isRoot()) {
    throw new GodwitError(
      'usage',
      'only root sets up the service of this machine',
      'begin with sudo',
    );
  }
  const config =
    flags.config === undefined
      ? ofService
        ? service.SERVICE_CONFIG
        : null
      : resolve(flags.config);
  const before = config === null ? '' : textOf(config);
  const known = parseSettings(before);
  const was = parsed(known.get(LISTEN) ?? '');
  const usualData = known.get(DATA) ?? (ofService ? service.SERVICE_DATA : null);
  const dataDir = flags.data === undefined && usualData !== null ? usualData : serverData(flags);
  const usual = {
    address: known.get(ADDRESS) || null,
    port: flags.port ?? was?.port ?? USUAL_PORT,
    guess: guessAddress(
      hostname(),
      Object.values(networkInterfaces()).flatMap((each) => each ?? []),
    ),
  };
  const said = flags.address ?? (flags.port === undefined ? null : withPort(usual, was));
  const host = was?.host ?? EVERYWHERE;
  if (said !== null) {
    const address = parsePublicAddress(said, usual.port);
    return { address, listen: { host, port: usual.port }, dataDir, config, before, ofService };
  }
  const talk = talkOf(context);
  if (talk === null) {
    const remedy = `such as --address ${usual.guess.host}, which is a guess`;
    throw new GodwitError('usage', 'setup: --address is missing, and nobody can be asked', remedy);
  }
  try {
    const { port, address } = await interview(talk, usual);
    return { address, listen: { host, port }, dataDir, config, before, ofService };
  } finally {
    talk.close();
  }
}

/** The address of before; it goes with the port where it had the same one, as it has without a router in between. */
function withPort(
  { address, port }: { address: string | null; port: number },
  was: HostPort | null,
): string | null {
  const before = address === null ? null : parsePublicAddress(address, port);
  if (before === null || before.port !== was?.port) return address;
  return formatHostPort({ host: before.host, port });
}

/** null: no person is at the other end. */
function talkOf({ io, json, quiet }: Context): (Talk & { close(): void }) | null {
  const { stdin, stdout } = io;
  if ((stdin as { isTTY?: boolean }).isTTY !== true || stdout.isTTY !== true || json || quiet)
    return null;
  const lines = createInterface({ input: stdin, output: stdout });
  const ended = new Promise<null>((done) => lines.once('close', () => done(null)));
  return {
    ask: (question) => Promise.race([lines.question(question), ended]),
    say: (line) => void stdout.write(`${line}\n`),
    close: () => lines.close(),
  };
}

function parsed(listen: string): HostPort | null {
  const match = /^(.*):(\d+)$/.exec(listen);
  return match === null
    ? null
    : { host: (match[1] ?? '').replace(/^\[|\]$/g, ''), port: Number(match[2]) };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'it fails' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') {
      throw new GodwitError('folder-unusable', `${file} can't be read: ${code}`, 'see who owns it');
    }
    return '';
  }
}

/** Throws GodwitError `folder-unusable`. */
function writeSettings(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeDurably(file, text, new NativeHost(), READABLE);
  } catch (error) {
    if (error instanceof GodwitError) throw error;
    const { code = 'it fails' } = error as NodeJS.ErrnoException;
    throw new GodwitError(
      'folder-unusable',
      `${file} can't be written: ${code}`,
      'see who owns it',
    );
  }
}

/**
 * A server runs with it for a moment: it makes its key and its database, and finds out whether the port is free. One that runs already
 * is as good, unless the port is to change.
 */
async function tryServer(
  plan: Plan,
  { place }: service.Runner,
  was: string | null,
): Promise<'tried' | 'runs'> {
  const { listen, dataDir } = plan;
  const args = ['server', '--data', dataDir, '--listen', formatHostPort(listen), '--json'];
  const run = spawnGodwit(args, {}, place);
  try {
    await run.firstObject;
    return 'tried';
  } catch (error) {
    if (!(error instanceof GodwitError)) throw error;
    if (error.code === 'port-in-use') {
      throw new GodwitError(
        error.code,
        error.message,
        'choose another with --port, or end that program',
      );
    }
    const isSame = was === null || was === formatHostPort(listen);
    if (error.code === 'already-running' && (isSame || plan.ofService)) {
      if (!isSame) await mustBeFree(listen);
      return 'runs';
    }
    throw error.code === 'already-running'
      ? new GodwitError(error.code, error.message, 'stop it, then say setup again')
      : error;
  } finally {
    run.child.kill('SIGTERM');
    await run.ended;
  }
}

/** Data do not move by themselves, and the service would go on with the old ones until then. */
function mustNotMove({ ofService, dataDir }: Plan, was: string | undefined): void {
  if (!ofService || was === undefined || was === dataDir || !service.isActive()) return;
  throw new GodwitError(
    'already-running',
    `the service runs with its data in ${was}`,
    'systemctl stop godwit-server, move what is in it, then say setup again',
  );
}

/** The server that runs keeps its own port until it is started again with this one. */
function mustBeFree({ host, port }: HostPort): Promise<void> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  return new Promise((done, failed) => {
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      const where = formatHostPort({ host, port });
      const why = code === 'EADDRINUSE' ? 'is in use by another program' : `can't be had: ${code}`;
      failed(new GodwitError('port-in-use', `${where} ${why}`, 'choose another with --port'));
    });
    socket.bind({ address: host, port, exclusive: true }, () => socket.close(done));
  });
}

/** null: no service of the system was started. */
function startOf({ ofService, dataDir }: Plan, changed: boolean): string | null {
  if (!ofService) return null;
  if (!service.isManaged()) return null;
  service.allowData(dataDir);
  return service.startService(changed);
}

function startLines(
  { ofService, dataDir, listen }: Plan,
  started: string | null,
  tried: 'tried' | 'runs',
): string[] {
  if (started === 'runs') return ['The service runs, and starts with the machine.'];
  if (started !== null) return [`The service was ${started}, and starts with the machine.`];
  if (ofService) {
    return ['No systemd is in charge here, so nothing starts it. Start it: sudo godwit-server'];
  }
  if (tried === 'runs') return ['It runs already.'];
  return [`Start it: godwit server --data ${dataDir} --listen ${formatHostPort(listen)}`];
}

function forwarded({ address, listen }: Plan): string {
  const from = `Laptops come to port ${address.port}`;
  return `${from}: a router has to forward it to UDP port ${listen.port} of this machine.`;
}

function openText(count: number): string {
  const open = count === 1 ? '1 invitation is open' : `${count} invitations are open`;
  return `${open}. \`godwit server invite\` makes another one.`;
}

async function openInvitations({ dataDir }: Plan, { place }: service.Runner): Promise<number> {
  const words = ['server', 'invitations', '--data', dataDir, '--json'];
  const { invitations } = await spawnGodwit(words, {}, place).firstObject;
  return (invitations as ReadonlyArray<{ state: string }>).filter(({ state }) => state === 'open')
    .length;
}

async function invite({ address, dataDir }: Plan, { place }: service.Runner): Promise<string> {
  const where = ['--data', dataDir, '--address', formatHostPort(address), '--hours', String(HOURS)];
  const { invitation } = await spawnGodwit(['server', 'invite', ...where, '--json'], {}, place)
    .firstObject;
  return String(invitation);
}

function invitationText({ io }: Context, invitation: string): string[] {
  const picture = io.stdout.isTTY === true ? qrLines(invitation, io.stdout.columns ?? COLUMNS) : [];
  return [
    '',
    'An invitation:',
    '',
    ...picture,
    invitation,
    '',
    ...invitationHelp(invitation, HOURS, false),
  ];
}
