/**
 * Which files each process of a trace opened in one spell of work: the runs of a compiler open the same headers, also while other processes work. A
 * spell ends with a long pause of its process, or when its number is another program's.
 */
import { hasFlag, processOf, type TraceRecord } from './record.ts';

/** Microseconds between two opens of a process that are two spells of work. */
const SPELL_PAUSE_US = 10_000_000;
/** Spells that are remembered, the newest of them, and files of one: some ten megabytes at most. */
const MOST_SPELLS = 2_000;
const MOST_IN_SPELL = 500;

/** A file as a record has it: its vnode, or its path from the root of the traced system. */
export type TracedFile = { readonly fid: string } | { readonly path: string };

interface Spell {
  readonly program: string | undefined;
  readonly files: Set<string>;
  at: number;
}

/** Collects which files each process opened between two long pauses. */
export class ProcessSpells {
  readonly #running = new Map<string, Spell>();
  readonly #spells: Array<ReadonlySet<string>> = [];

  /** In the order of the trace. */
  add(record: TraceRecord): void {
    const key = keyOf(record);
    if (key === null) return;
    const { program, at } = record;
    const process = processOf(record);
    let spell = this.#running.get(process);
    if (spell?.program !== program || at - (spell?.at ?? at) > SPELL_PAUSE_US) spell = undefined;
    if (spell === undefined) {
      spell = { program, files: new Set(), at };
      this.#running.set(process, spell);
      this.#spells.push(spell.files);
      if (this.#spells.length > MOST_SPELLS) this.#spells.shift();
    }
    spell.at = at;
    if (spell.files.size < MOST_IN_SPELL) spell.files.add(key);
  }

  /** By texts that `fileOf` reads. */
  get spells(): ReadonlyArray<ReadonlySet<string>> {
    return this.#spells;
  }
}

/** The key of a file that was opened for its contents and existed; null: it was not, or the record does not show it. */
function keyOf(record: TraceRecord): string | null {
  if (record.op !== 'open' && record.op !== 'create') return null;
  for (const flag of ['directory', 'failed', 'not-found'] as const) {
    if (hasFlag(record, flag)) return null;
  }
  if (record.fid !== undefined) return `fid ${record.fid}`;
  return record.path === undefined ? null : `path ${record.path}`;
}

/** Reads a key of `ProcessSpells` back into a fid or a path. */
export function fileOf(key: string): TracedFile {
  const rest = key.slice(key.indexOf(' ') + 1);
  return key.startsWith('fid ') ? { fid: rest } : { path: rest };
}
