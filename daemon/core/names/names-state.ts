/** What is known of the server's vnodes and their names: the base of the view. All of it is durable. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Outbox } from '../effects.ts';
import { AliasList } from './alias-list.ts';
import { AttributeCache } from './attribute-cache.ts';
import { NameCache } from './name-cache.ts';
import { Unused } from './unused.ts';
import { Volumes } from './volumes.ts';

/** Holds volumes, statuses, directories and aliases: the base of the view. */
export class NamesState {
  readonly volumes: Volumes;
  readonly attributes: AttributeCache;
  readonly directories: NameCache;
  readonly aliases: AliasList;
  /** What is to be forgotten of these (sharing/forget-unused.ts). */
  readonly unused = new Unused();
  /** Files whose names the server is asked for, in this connection. */
  readonly asked = new Map<Fid, 'asked' | 'told'>();

  constructor(out: Outbox) {
    this.volumes = new Volumes(out);
    this.attributes = new AttributeCache(out);
    this.directories = new NameCache(out);
    this.aliases = new AliasList(out);
  }
}
