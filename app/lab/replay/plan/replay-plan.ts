/**
 * A trace as it is replayed: what must be there before, and what each process does, in its order.
 *
 * Processes run side by side, as MFS replays its traces (section 3.5): each thinks between two of its steps as long as it did then, and
 * waits for what it asks as long as that takes here. Where one used what another had made, renamed, removed or written,
 * it waits for that: a slow network must not turn a trace into one of failures.
 */
import { hasFlag, isRefused, processOf, type TraceRecord } from '../../trace/record.ts';
import type { TraceGroup } from '../../trace/trace-line.ts';
import { InitialTree, type InitialNode } from './initial-tree.ts';
import { PathFinder } from './record-paths.ts';
import { Step } from './step.ts';

export interface ProcessPlan {
  /** For people. */
  readonly name: string;
  /** Empty where the trace does not tell. */
  readonly program: string;
  /** The machine on which it ran; empty where the trace does not tell. */
  readonly client: string;
  readonly steps: readonly Step[];
}

export interface ReplayPlan {
  readonly tree: readonly InitialNode[];
  /** In the order in which they begin. */
  readonly processes: readonly ProcessPlan[];
  readonly groups: readonly TraceGroup[];
  readonly steps: number;
  /** Of the trace, from its beginning to its last record. */
  readonly seconds: number;
  /** Operations that a recorder left out. */
  readonly lost: number;
}

interface Growing {
  readonly name: string;
  readonly program: string;
  readonly client: string;
  readonly index: number;
  readonly steps: Step[];
  /** When its last step began, microseconds. */
  last: number;
}

const CHANGES_NAMES: ReadonlySet<string> = new Set([
  ...['create', 'mkdir', 'rmdir', 'remove'],
  ...['rename', 'link', 'symlink'],
]);
const WORKS_ON_OPENED: ReadonlySet<string> = new Set([
  ...['close', 'read', 'write', 'truncate', 'map', 'sync'],
]);
const NONE: readonly Step[] = [];

/** Builds the plan of a replay out of the records of a trace (MFS, section 3.5). */
export class PlanBuilder {
  readonly #paths = new PathFinder();
  readonly #tree = new InitialTree();
  readonly #processes = new Map<string, Growing>();
  /** Opens that are not closed, by path, oldest first. */
  readonly #open = new Map<string, Step[]>();
  /** The last step that changed what a path is or holds. */
  readonly #changed = new Map<string, Step>();
  readonly #apart: boolean;
  #steps = 0;
  #lost = 0;
  #end = 0;

  /** `apart`: no process waits for another, even if it reads what that one wrote. */
  constructor({ apart = false }: { readonly apart?: boolean } = {}) {
    this.#apart = apart;
  }

  /** Records in order. */
  add(record: TraceRecord): void {
    const { op, at, length = 0 } = record;
    if (op === 'gap') {
      this.#lost += length;
      return;
    }
    this.#end = at;
    const { path, to } = this.#paths.of(record);
    this.#tree.add(record, path, to);
    const process = this.#processOf(record);
    const step = new Step({
      process: process.index,
      thinkUs: at - process.last,
      op,
      path,
      to: op === 'symlink' ? (record.to ?? '') : to,
      offset: record.offset ?? 0,
      length,
      flags: record.flags ?? [],
    });
    process.last = at;
    process.steps.push(step);
    this.#steps += 1;
    if (!this.#apart) step.after = this.#needed(step);
    if (!isRefused(record)) this.#follow(step, record);
  }

  finish(groups: readonly TraceGroup[]): ReplayPlan {
    for (const { members, sizes = [] } of groups) {
      for (const [index, size] of sizes.entries())
        this.#tree.addMember(members[index] ?? '/', size);
    }
    return {
      tree: this.#tree.nodes(),
      processes: [...this.#processes.values()],
      groups,
      steps: this.#steps,
      seconds: this.#end / 1e6,
      lost: this.#lost,
    };
  }

  #processOf(record: TraceRecord): Growing {
    const { pid, program = '', client = '' } = record;
    const key = processOf(record);
    const known = this.#processes.get(key);
    if (known !== undefined) return known;
    const index = this.#processes.size;
    const name = program === '' ? `process ${pid}` : `${program} (${pid})`;
    const made = { name, program, client, index, steps: [], last: 0 };
    this.#processes.set(key, made);
    return made;
  }

  #follow(step: Step, record: TraceRecord): void {
    const { op, path } = step;
    if (op === 'open' || op === 'create') {
      if (hasFlag(record, 'directory')) return;
      const opens = this.#open.get(path) ?? [];
      opens.push(step);
      this.#open.set(path, opens);
      step.writes = op === 'create' || step.has('truncate');
    } else if (WORKS_ON_OPENED.has(op)) this.#join(step);
    if (CHANGES_NAMES.has(op)) this.#changed.set(path, step);
    if (op === 'close' && step.on?.writes === true) this.#changed.set(path, step);
    if (step.to !== null && op !== 'symlink') this.#changed.set(step.to, step);
    if (op === 'rename' && step.to !== null) this.#renamed(path, step.to);
  }

  /** The process's own open, or another one's: a child goes on with what its parent has opened. */
  #join(step: Step): void {
    const opens = this.#open.get(step.path);
    if (opens === undefined) return;
    const changes = step.op === 'write' || step.op === 'truncate';
    const fits = (open: Step): boolean =>
      !changes || open.has('write') || open.has('create') || open.op === 'create';
    const own = opens.findLast((open) => open.process === step.process && fits(open));
    const found = own ?? opens.findLast(fits);
    if (found === undefined) return;
    step.on = found;
    if (changes) found.writes = true;
    if (found.process !== step.process) step.after = [...step.after, found];
    if (step.op !== 'close') return;
    opens.splice(opens.indexOf(found), 1);
    if (opens.length === 0) this.#open.delete(step.path);
  }

  /** What was opened under the old name is closed under the new one. */
  #renamed(from: string, to: string): void {
    const opens = this.#open.get(from);
    if (opens === undefined) return;
    this.#open.delete(from);
    this.#open.set(to, opens);
  }

  #needed(step: Step): readonly Step[] {
    let needed: Step[] | null = null;
    const look = (path: string): void => {
      const changed = this.#changed.get(path);
      if (changed === undefined || changed.process === step.process) return;
      needed ??= [];
      needed.push(changed);
    };
    for (const path of step.to === null || step.op === 'symlink'
      ? [step.path]
      : [step.path, step.to]) {
      look(path);
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
        look(path.slice(0, end));
      }
    }
    return needed ?? NONE;
  }
}
