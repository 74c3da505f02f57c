/** What is known of others who share our files: promises, orders of users, what is newer elsewhere, and what is being asked. */
import {
  DEFAULT_CONSISTENCY,
  type ConsistencySettings,
} from '../../../shared/model/consistency.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { SHARED_KNOWN } from '../../limits.ts';
import type { ReplyEvent } from '../events.ts';
import { AnswerOrder } from './answer-order.ts';
import { BehindVnodes } from './behind.ts';
import { CallbackPromises } from './callback-promise.ts';
import { KnownOrders } from './known-orders.ts';
import { RemovalsOfOthers } from './removals-of-others.ts';
import { ToldCloseList } from './told-close-list.ts';
import { VnodeQuestions } from './vnode-questions.ts';

/**
 * Which files several devices use (MFS, section 5.1): the server's share monitor reports it with each answer about a file, and stores of shared files
 * go before others, in STORE_FAST. A file without a report is unshared, as every new file is. Kept in memory, SHARED_KNOWN at most, the oldest go
 * first: a lost report costs only time.
 */
class SharedFiles {
  /** In the order of their latest report, oldest first. */
  readonly #shared = new Set<Fid>();

  has(fid: Fid): boolean {
    return this.#shared.has(fid);
  }

  /** True: that is news. */
  learn(fid: Fid, isShared: boolean): boolean {
    const was = this.#shared.delete(fid);
    if (isShared) this.#shared.add(fid);
    const [oldest] = this.#shared;
    if (this.#shared.size > SHARED_KNOWN && oldest !== undefined) this.#shared.delete(oldest);
    return was !== isShared;
  }
}

/** Holds promises, sharing orders, shared and behind vnodes, and questions to the server. */
export class SharingState {
  readonly promises = new CallbackPromises();
  readonly answers = new AnswerOrder<ReplyEvent>();
  readonly sharedFiles = new SharedFiles();
  /** What users say of that. */
  readonly orders = new KnownOrders();
  readonly behind = new BehindVnodes();
  readonly questions = new VnodeQuestions();
  readonly othersRemovals = new RemovalsOfOthers();
  readonly toldCloses = new ToldCloseList();
  #settings: ConsistencySettings = DEFAULT_CONSISTENCY;
  #isSortWanted = false;
  #isHeard = false;

  /** How others are kept from reading what is old. */
  get settings(): ConsistencySettings {
    return this.#settings;
  }

  use(settings: ConsistencySettings): void {
    this.#settings = settings;
  }

  /** What is queued is to be sorted anew by what users say. */
  wantSort(): void {
    this.#isSortWanted = true;
  }

  /** Whether it is, once. */
  takeSort(): boolean {
    const isWanted = this.#isSortWanted;
    this.#isSortWanted = false;
    return isWanted;
  }

  /**
   * The server knows of what this protocol says of sharing beyond marks: what is overtaken (rule S5), and what is to be had that is
   * newer.
   */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  helloTold(isHeard: boolean): void {
    this.#isHeard = isHeard;
  }
}
