/** What is known of others who share our files: promises, orders of users, what is newer elsewhere, and what is being asked. */
import {
  DEFAULT_CONSISTENCY,
  type ConsistencySettings,
} from '../../../shared/model/consistency.ts';
import type { ReplyEvent } from '../events.ts';
import { AnswerOrder } from './answer-order.ts';
import { BehindVnodes } from './behind.ts';
import { CallbackPromises } from './callback-promise.ts';
import { KnownOrders } from './known-orders.ts';
import { SharedFiles } from './shared-files.ts';
import { ToldCloseList } from './told-close-list.ts';
import { VnodeQuestions } from './vnode-questions.ts';

/** Holds promises, sharing orders, shared and behind vnodes, and questions to the server. */
export class SharingState {
  readonly promises = new CallbackPromises();
  readonly answers = new AnswerOrder<ReplyEvent>();
  readonly sharedFiles = new SharedFiles();
  /** What users say of that. */
  readonly orders = new KnownOrders();
  readonly behind = new BehindVnodes();
  readonly questions = new VnodeQuestions();
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
