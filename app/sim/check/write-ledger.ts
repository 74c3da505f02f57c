/**
 * Checker: no acknowledged byte is lost (promises 1 and 5).
 *
 * Every content that a program wrote and closed must be somewhere in the volume at the end, unless a program that
 * had it in view wrote over it or removed it. What lost a conflict was in nobody's view, so it must be there as a copy.
 * Contents of a workload are all different, so a digest names one write.
 */
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Finding } from './finding.ts';

interface Write {
  readonly by: string;
  readonly path: string;
}

export class WriteLedger {
  readonly #written = new Map<Digest, Write>();
  readonly #consumed = new Set<Digest>();

  get writes(): number {
    return this.#written.size;
  }

  /** A write that was acknowledged. */
  wrote(by: string, path: string, digest: Digest): void {
    this.#written.set(digest, { by, path });
  }

  /** A program had this content in view and replaced or removed it, or may have. */
  consumed(digest: Digest | null): void {
    if (digest !== null) this.#consumed.add(digest);
  }

  check(present: ReadonlySet<Digest>): Finding[] {
    const findings: Finding[] = [];
    for (const [digest, { by, path }] of this.#written) {
      if (present.has(digest) || this.#consumed.has(digest)) continue;
      findings.push({
        checker: 'no acknowledged byte lost',
        text: `what ${by} wrote to ${path} is nowhere (${digest.slice(0, 12)})`,
      });
    }
    return findings;
  }
}
