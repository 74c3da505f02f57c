/**
 * The runtime of the server: events in, effects out. All that it decides is in the core; all that it touches are ports, so
 * the simulator runs it as it is.
 *
 * Life: `new ServerRuntime(ports)` -> `start` -> `listen` -> `close`. The Link is made by `start` with this runtime's
 * handler. A runtime that is simply dropped is a crash: the next one on the same stores goes on from what was durable.
 */
import type { AnyRow, RowWrite } from '../../shared/model/stored.ts';
import type { Duration } from '../../shared/model/time.ts';
import type { Clock, TimerHandle, Timers } from '../../shared/ports/clock.ts';
import type { ContentStore } from '../../shared/ports/content-store.ts';
import type {
  ConnectionId,
  Transport,
  TransportHandler,
  ListenOptions,
} from '../../shared/ports/transport.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import type { Random } from '../../shared/ports/random.ts';
import { assert, present } from '../../shared/util/assert.ts';
import { GodwitError, type ErrorCode } from '../../shared/wire/error-codes.ts';
import { RPCS } from '../../shared/wire/rpcs.ts';
import type { Effect, ServerEvent, SharingSettings } from '../core/events.ts';
import { nextDeadline, step } from '../core/server.ts';
import { makeState, type ServerState } from '../core/state.ts';
import { ACCESS_POLL, UPDATES_IN_TURN } from '../limits.ts';
import { AccessWatch } from './access-watch.ts';
import { Activity } from './activity.ts';
import { CommitPacer } from './commit-pacer.ts';
import { RpcServer } from './rpc-server.ts';
import { FairLoads } from './load-turns.ts';
import type { StreamPorts } from './streams.ts';

/**
 * What a commit can fail with that going on could lose what others were told: it does not fit what is stored, or nobody knows
 * whether it is on the disk. The next start finds out.
 */
const ENDS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['internal', 'disk-failing']);

export interface ServerPorts {
  /** Called once, by `start`. Its header limit must be MAX_HEADER_BYTES of the wire. */
  readonly createLink: (handler: TransportHandler) => Transport;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Lets the event loop go on, and calls back: between two pieces of work. `isFirst`: before others that wait. Left out: work is done at one go. */
  readonly goOn?: (then: () => void, isFirst?: boolean) => void;
  /** For tests: rows that a device adds until it leaves time to others. Left out: HEAVY_ROWS. */
  readonly heavyRows?: number;
  readonly random: Random;
  readonly metaStore: MetaStore;
  readonly contentStore: ContentStore;
  /** What contents are told in part with; left out: they move whole. */
  readonly streams?: StreamPorts;
  /** Of the disk: contents of so many bytes fit. Left out: nobody knows, and all are let in. */
  readonly hasRoomFor?: (bytes: number) => boolean;
  readonly log: Log;
  /** Name and version, for the other side's log. */
  readonly software: string;
  readonly sharing?: SharingSettings;
  /** A bug of ours was met: the state is not to be trusted, and no event is taken any more. The program must end. */
  readonly onFault: (error: unknown) => void;
}

type LoadEffect = Extract<Effect, { kind: 'load' }>;
type RequestEvent = Extract<ServerEvent, { kind: 'request' }>;

const TOKEN_BYTES = 16;
const FIRST_VOLUME = 'home';
const FIRST_USER = 'owner';

/** Runs the core of a server on its ports: one step for each event, and then its effects. */
export class ServerRuntime {
  /** Who uses what. Only to be read. */
  readonly activity = new Activity();
  readonly #ports: ServerPorts;
  readonly #side: RpcServer;
  readonly #pacer: CommitPacer;
  readonly #loads: FairLoads;
  readonly #closed = Promise.withResolvers<void>();
  #state: ServerState | null = null;
  #link: Transport | null = null;
  #watch: AccessWatch | null = null;
  #timer: { readonly at: number; readonly handle: TimerHandle } | null = null;
  #phase: 'new' | 'running' | 'closing' | 'ended' = 'new';
  readonly #events: ServerEvent[] = [];
  /** Groups up to this one wait for no rest. */
  #hurried = -1;
  #stepping = false;

  constructor(ports: ServerPorts) {
    this.#ports = ports;
    this.#side = new RpcServer(ports, (event) => this.#feed(event), {
      inPieces: ports.goOn === undefined ? null : (pieces) => this.#loads.inPieces(pieces),
      inPiecesOf: ports.goOn === undefined ? null : (...its) => this.#inPiecesOf(...its),
    });
    this.#pacer = new CommitPacer(ports, () =>
      this.#loads.turnComes((device) => this.#pacer.isHeavy(device)),
    );
    this.#loads = new FairLoads(ports, {
      loaded: (effect, rows) => this.#loaded(effect, rows),
      notLoaded: (ticket, error) => this.#notLoaded(ticket, error),
      group: () => this.#collecting(),
      writing: () => this.#pacer.writing,
      waitsForGroup: (held) => this.#feed({ kind: 'full', group: this.#collecting().id, held }),
      mayAdd: (device) => this.#pacer.mayAdd(device),
      rests: (ticket, isResting) => this.#feed({ kind: 'load-rests', ticket, isResting }),
      comes: (device, rows) => this.#pacer.comes(device, rows),
    });
  }

  /** The Link's handler; `start` gives it to the Link. */
  get handler(): TransportHandler {
    return this.#side;
  }

  /** Reads what is durable; on an empty store, makes the first state. Rejects GodwitError `newer-database` ... */
  async start(): Promise<void> {
    assert(this.#phase === 'new', 'a runtime starts once');
    const { metaStore, clock, random, log, software, sharing } = this.#ports;
    const stored = await metaStore.open({
      epoch: random.hex(TOKEN_BYTES),
      volumeName: FIRST_VOLUME,
      userName: FIRST_USER,
      when: clock.wall(),
    });
    const boot = random.hex(TOKEN_BYTES);
    this.#state = makeState(
      {
        ...{ stored, boot, software },
        ...(sharing === undefined ? {} : { sharing }),
        ...(this.#ports.goOn === undefined ? {} : { updatesAtOnce: UPDATES_IN_TURN }),
      },
      clock.now(),
    );
    await this.#side.open();
    this.#phase = 'running';
    this.#link = this.#ports.createLink(this.#side);
    this.#side.attach(this.#link);
    const state = this.#state;
    this.#watch = new AccessWatch(this.#ports, state, ACCESS_POLL, (event) => this.#feed(event));
    if (stored.leases.length > 0) {
      log.info('waiting for leases of the process before', { devices: stored.leases.length });
    }
    this.#arm();
  }

  /** Begins to accept connections. Rejects as `Link.listen` does. */
  listen(options: ListenOptions): Promise<{ host: string; port: number }> {
    return present(this.#link, 'the runtime was started').listen(options);
  }

  /**
   * Ends in good order: no new work, promises broken, what was decided made durable. Idempotent. The stores are closed too.
   */
  async close(): Promise<void> {
    if (this.#phase === 'running') {
      this.#phase = 'closing';
      this.#feed({ kind: 'close' });
    }
    if (this.#phase === 'new') this.#phase = 'ended';
    if (this.#state !== null) await this.#closed.promise;
    this.#end();
    await this.#link?.shutdown();
    await this.#side.close();
    await this.#ports.metaStore.close();
  }

  /** For those who look for leaks and count after us. Only to be read; null before `start`. */
  get inside(): ServerState | null {
    return this.#state;
  }

  /** Files of streams, likewise. */
  get streamsLeft(): RpcServer['streamsLeft'] {
    return this.#side.streamsLeft;
  }

  /** For status and tests: how many sessions there are. */
  get sessions(): number {
    const connections = [...(this.#state?.connections.values() ?? [])];
    return connections.filter(({ device }) => device !== null).length;
  }

  /** Events are taken one after the other; one that comes during a step (of an effect) waits for its end. */
  #feed(event: ServerEvent): void {
    if (this.#phase === 'ended' || this.#state === null) return;
    this.#events.push(event);
    if (this.#stepping) return;
    this.#stepping = true;
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        this.#step(this.#state, next);
      }
      this.#arm();
    } catch (error) {
      this.#fault(error);
    } finally {
      this.#stepping = false;
    }
  }

  #step(state: ServerState, event: ServerEvent): void {
    const { clock } = this.#ports;
    this.activity.hears(state, event, clock.now());
    if (event.kind === 'request') this.#noteAsks(state, event);
    for (const effect of step(state, event, { now: clock.now(), wall: clock.wall() })) {
      switch (effect.kind) {
        case 'load':
          this.#loads.begin(effect);
          this.#letIn(effect);
          break;
        case 'commit':
          this.#commit(effect.group, effect.writes);
          this.#loads.groupBegins();
          break;
        case 'ask-access':
          this.#askAccess(effect);
          break;
        case 'note':
          this.#ports.log[effect.level](effect.message, effect.fields);
          break;
        case 'closed':
          this.#closed.resolve();
          break;
        case 'reply':
        case 'fail':
          this.activity.answered(effect.call, clock.now());
          this.#side.carryOut(effect);
          break;
        default:
          this.#side.carryOut(effect);
      }
    }
  }

  /** A question of the most urgent class: somebody waits for its answer. */
  #noteAsks(state: ServerState, { connection, request }: RequestEvent): void {
    if (RPCS[request.rpc].priorityClass !== 'VALIDATE') return;
    const device = state.connections.get(connection)?.device ?? null;
    if (device !== null) this.#pacer.asks(device.id);
  }

  #inPiecesOf(connection: ConnectionId, pieces: Iterator<unknown>): void {
    const device = this.#state?.connections.get(connection)?.device;
    // It has ended meanwhile, or is about to.
    if (device === undefined || device === null) while (pieces.next().done !== true);
    else this.#loads.inPiecesOf(device.id, pieces);
  }

  /** The next group takes what a device that adds little is about to add: it would wait for that group and for its own. */
  #letIn({ adds, ticket, whose }: LoadEffect): void {
    if (adds && this.#pacer.isSmall(whose)) this.#feed({ kind: 'small-load', ticket });
  }

  /** A device that adds little waits for no rest of its group, and for nobody else who is about to add to it. */
  #loaded({ ticket, whose, adds }: LoadEffect, rows: readonly AnyRow[]): void {
    if (this.#phase === 'ended') return;
    if (!adds || !this.#pacer.isSmall(whose)) return this.#feed({ kind: 'rows', ticket, rows });
    const { id } = this.#collecting();
    this.#hurried = id;
    this.#feed({ kind: 'rows', ticket, rows });
    this.#feed({ kind: 'full', group: id });
    this.#pacer.hurry();
  }

  #notLoaded(ticket: number, error: unknown): void {
    if (this.#phase === 'ended') return;
    this.#feed({ kind: 'no-rows', ticket, code: this.#told('rows could not be read', error) });
  }

  #collecting(): { readonly id: number; readonly isFull: boolean } {
    const { id, writes } = present(this.#state, 'the server runs').commits.collecting;
    return { id, isFull: writes.length >= this.#pacer.most };
  }

  #commit(group: number, writes: readonly RowWrite[]): void {
    this.#pacer.commit(writes, group <= this.#hurried).then(
      () => this.#feed({ kind: 'committed', group }),
      (error: unknown) => void this.#notCommitted(group, writes, error),
    );
  }

  /**
   * A disk that is full is tried once more, without what can be had again: nobody hears that it is full for the sake of begun parts of uploads, least
   * of all a device that says Hello.
   */
  async #notCommitted(group: number, writes: readonly RowWrite[], first: unknown): Promise<void> {
    let error = first;
    const isFull = first instanceof GodwitError && first.code === 'server-full';
    if (isFull && (await this.#side.makeRoom())) {
      try {
        await this.#pacer.commit(writes, true);
        return this.#feed({ kind: 'committed', group });
      } catch (again) {
        error = again;
      }
    }
    if (this.#phase === 'ended') return;
    const code = this.#told('a commit failed', error);
    if (ENDS.has(code)) this.#fault(error);
    else this.#feed({ kind: 'failed', group, code });
    this.#loads.groupBegins();
  }

  #askAccess({ user, question, call, rpc }: Extract<Effect, { kind: 'ask-access' }>): void {
    const asked = { call, rpc, question };
    this.#ports.metaStore.askAccess(question, { person: user }).then(
      async (answer) => {
        // Whoever may see it hears of it by its rights, so the core has to know it.
        if (answer.answer === 'made') {
          this.#feed({ kind: 'volumes', ...(await this.#ports.metaStore.volumes()) });
        }
        this.#feed({ kind: 'access-answer', ...asked, answer });
      },
      (error: unknown) => {
        if (this.#phase === 'ended') return;
        const code = this.#told('access was not decided', error);
        this.#feed({ kind: 'access-answer', ...asked, answer: { answer: 'none', code } });
      },
    );
  }

  #told(what: string, error: unknown): ErrorCode {
    const code = error instanceof GodwitError ? error.code : 'internal';
    this.#ports.log.error(what, { code, error: String(error) });
    return code;
  }

  /** One timer, for the nearest deadline. */
  #arm(): void {
    const state = this.#state;
    if (state === null || this.#phase === 'ended') return;
    const at = nextDeadline(state);
    if (at === (this.#timer?.at ?? null)) return;
    this.#timer?.handle.cancel();
    this.#timer = null;
    if (at === null) return;
    const delay = Math.max(0, at - this.#ports.clock.now()) as Duration;
    const handle = this.#ports.timers.start(delay, () => {
      this.#timer = null;
      this.#feed({ kind: 'woken' });
    });
    this.#timer = { at, handle };
  }

  #fault(error: unknown): void {
    if (this.#phase === 'ended') return;
    if (error instanceof GodwitError) {
      this.#ports.log.error('the server can not go on', { code: error.code, error: error.message });
    } else {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#ports.log.error('a bug was met; the server ends', { error: stack });
    }
    this.#end();
    this.#closed.resolve();
    this.#ports.onFault(error);
  }

  #end(): void {
    this.#phase = 'ended';
    this.#timer?.handle.cancel();
    this.#timer = null;
    this.#watch?.stop();
    this.#pacer.stop();
    this.#loads.stop();
  }
}
