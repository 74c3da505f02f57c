/**
 * Who may use the page: tokens that are good once and for a minute, and the sessions they are exchanged for.
 *
 * A session has two secrets. The cookie is sent by the browser and read by no script; but cookies know no ports, so every program of this
 * machine that the browser visits could receive it. The key is kept by the page, whose storage knows ports, and no other site can send it.
 * A call needs both.
 *
 * Invariants
 * 1. A token opens one session: the first request with it.
 * 2. Secrets are kept and compared as digests, so that neither memory nor timing reveals one.
 */
import { createHash } from 'node:crypto';
import { elapsed, type Instant } from '../model/time.ts';
import { MOST_SESSIONS, MOST_TOKENS, TOKEN_LIFE } from './page-limits.ts';

export interface Session {
  readonly cookie: string;
  readonly key: string;
}

export interface SessionPorts {
  readonly now: () => Instant;
  /** A new secret each time, which can't be guessed. */
  readonly secret: () => string;
}

/** Issues one-time tokens and the sessions they are exchanged for. Secrets are kept as digests. */
export class Sessions {
  readonly #ports: SessionPorts;
  /** By the digest of the token: until when it is good. */
  readonly #tokens = new Map<string, Instant>();
  /** By the digest of the cookie: the digest of its key. */
  readonly #sessions = new Map<string, string>();

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  newToken(): string {
    const token = this.#ports.secret();
    this.#tokens.set(digestOf(token), this.#ports.now());
    dropOldest(this.#tokens, MOST_TOKENS);
    return token;
  }

  /** Null: it is none, was used, or is too old. */
  exchange(token: string): Session | null {
    const digest = digestOf(token);
    const made = this.#tokens.get(digest);
    if (made === undefined) return null;
    this.#tokens.delete(digest);
    if (elapsed(made, this.#ports.now()) > TOKEN_LIFE) return null;
    const session = { cookie: this.#ports.secret(), key: this.#ports.secret() };
    this.#sessions.set(digestOf(session.cookie), digestOf(session.key));
    dropOldest(this.#sessions, MOST_SESSIONS);
    return session;
  }

  knows({ cookie, key }: Session): boolean {
    return this.#sessions.get(digestOf(cookie)) === digestOf(key);
  }
}

const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
