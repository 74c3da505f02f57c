/**
 * What `up` is asked for, held against what the data folder is already: the settings to start with, or why not.
 */
import { resolve } from 'node:path';
import type { DaemonConfig, PendingInvitation } from '../../../shared/control/config.ts';
import { parseInvitation, type Invitation } from '../../../shared/model/invitation.ts';
import { utf8Length } from '../../../shared/model/names.ts';
import type { Scheduling } from '../../../shared/model/scheduling.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { chooseFrontEnd, placesOf, type AskedFrontEnd } from './front-end.ts';

export interface UpOptions {
  readonly folder?: string;
  readonly frontEnd?: AskedFrontEnd;
  readonly name?: string;
  readonly volume?: string;
  readonly scheduling?: Scheduling;
  /** Of this start alone: no setting is made of it. */
  readonly metrics?: number;
}

export interface UpRequest {
  readonly dataDir: string;
  readonly options: UpOptions;
  /** The text of --invite; null where it is left out. */
  readonly invitation: string | null;
  /** What the data folder has. Settings without an invitation: it is paired. */
  readonly existing: DaemonConfig | null;
  readonly pending: PendingInvitation | null;
  /** The folder has shown a volume already. */
  readonly isShown: boolean;
  readonly hostname: string;
}

export interface UpPlan {
  readonly config: DaemonConfig;
  /** The device is paired by this start; null: it is paired already. */
  readonly pairing: PendingInvitation | null;
  /** Given to a device that is paired: used if its server does not admit it as it is (rules I1, I2). */
  readonly spare: PendingInvitation | null;
}

const MAX_NAME_CHARACTERS = 64;
/** Of a label on the wire. */
const MAX_NAME_BYTES = 64;

/**
 * Works out the settings of a daemon from the flags, an invitation, and what the data folder has.
 * Throws GodwitError `already-paired` if the invitation is from another server.
 */
export function planUp(request: UpRequest): UpPlan {
  const { existing, pending, options } = request;
  const given = request.invitation === null ? null : parseGiven(request.invitation);
  const paired = existing !== null && pending === null;
  if (paired && given !== null && given.fingerprint !== existing.server.fingerprint) {
    throw new GodwitError(
      'already-paired',
      `${request.dataDir}: paired with another server already`,
    );
  }
  const server = serverOf(request, paired ? null : given);
  // Before it is paired nothing was shown anywhere, and any front end may be taken.
  const shown = paired ? existing : null;
  const asked = options.frontEnd ?? (paired ? undefined : existing?.frontEnd);
  const { frontEnd, why } = chooseFrontEnd({ asked, folder: options.folder, existing: shown });
  const before = existing === null || paired ? existing : { ...existing, frontEnd };
  const config: DaemonConfig = {
    server,
    frontEnd,
    ...(why === undefined ? {} : { frontEndWhy: why }),
    ...(frontEnd === 'none' ? { folder: null } : placesOf(before, frontEnd, options.folder)),
    deviceName: deviceNameOf(request),
    ...volumeOf(request, frontEnd),
    ...schedulingOf(options.scheduling ?? existing?.scheduling),
  };
  const invitation = given === null ? null : { id: given.id, secret: given.secret };
  const pairing = paired ? null : (invitation ?? pending);
  return { config, pairing, spare: paired ? invitation : null };
}

/** Left out: what the server names as usual. A folder shows one volume for good. */
function volumeOf(
  { existing, options, isShown }: UpRequest,
  frontEnd: DaemonConfig['frontEnd'],
): { volume?: string } {
  const before = existing?.volume;
  const { volume = before } = options;
  if (frontEnd === 'folder' && isShown && before !== undefined && volume !== before) {
    const why = `the folder shows the volume ${before}`;
    const remedy = 'for another volume give another --folder, another --data and an invitation';
    throw new GodwitError('usage', `--volume ${volume}: ${why}`, remedy);
  }
  return volume === undefined ? {} : { volume };
}

/** What differs between a daemon that runs and what is asked for now; null: nothing. */
export function difference(running: DaemonConfig | null, request: UpRequest): string | null {
  const { options } = request;
  const given = request.invitation === null ? null : parseGiven(request.invitation);
  if (given !== null && given.fingerprint !== running?.server.fingerprint) return 'another server';
  const { frontEnd } = options;
  if (frontEnd !== undefined && frontEnd !== 'auto' && frontEnd !== running?.frontEnd) {
    return `front end ${running?.frontEnd}`;
  }
  if (options.folder !== undefined && resolve(options.folder) !== running?.folder) {
    return `folder ${running?.folder ?? 'none'}`;
  }
  if (options.name !== undefined && options.name !== running?.deviceName) {
    return `name ${running?.deviceName}`;
  }
  if (options.volume !== undefined && options.volume !== running?.volume) {
    return `volume ${running?.volume ?? 'not known yet'}`;
  }
  const scheduling = running?.scheduling ?? 'priorities';
  if (options.scheduling !== undefined && options.scheduling !== scheduling) {
    return `scheduling ${scheduling}`;
  }
  return null;
}

/** What no server takes: it would not answer. */
const IN_NO_NAME = /[\p{C}/\\]/gu;

/** A name that is given is refused where it can not be; that of the machine is made to fit. */
function deviceNameOf({ options, existing, hostname }: UpRequest): string {
  const { name } = options;
  if (name !== undefined && name.search(IN_NO_NAME) >= 0) {
    const why = 'a name has no slash, backslash or control character';
    throw new GodwitError('usage', `--name ${name}: ${why}`);
  }
  const usual = existing?.deviceName ?? hostname.replace(IN_NO_NAME, '-');
  const fitting = cut(name ?? usual);
  return fitting === '' ? 'laptop' : fitting;
}

/** Between two characters, which some alphabets have in two units. */
function cut(name: string): string {
  let fitting = '';
  for (const character of name) {
    const longer = fitting + character;
    if (longer.length > MAX_NAME_CHARACTERS || utf8Length(longer) > MAX_NAME_BYTES) break;
    fitting = longer;
  }
  return fitting;
}

/** What is usual is not written down. */
function schedulingOf(scheduling: Scheduling = 'priorities'): { scheduling?: Scheduling } {
  return scheduling === 'priorities' ? {} : { scheduling };
}

/** The same of metrics. `served`: where the daemon that runs serves them. Port 0 is whichever that is. */
export function metricsDifference(
  served: string | undefined,
  { metrics }: UpOptions,
): string | null {
  if (metrics === undefined) return null;
  if (served === undefined) return 'no metrics';
  const isThere = metrics === 0 || new URL(served).port === String(metrics);
  return isThere ? null : `metrics at ${served}`;
}

function parseGiven(text: string): Invitation {
  const invitation = parseInvitation(text);
  // Not the text itself: it holds a secret, even where it is cut.
  if (invitation === null) throw new GodwitError('invitation-malformed');
  return invitation;
}

function serverOf(request: UpRequest, given: Invitation | null): DaemonConfig['server'] {
  if (given !== null) {
    return { host: given.host, port: given.port, fingerprint: given.fingerprint };
  }
  if (request.existing !== null) return request.existing.server;
  throw new GodwitError('not-paired', `${request.dataDir}: not paired with a server yet`);
}
