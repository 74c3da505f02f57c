/** A question about access as the store in memory decided it, with all that people had before and have then: what checkers hear. */
import type { RightSet } from '../../../../shared/model/access-list.ts';
import type { AccessAnswer, AccessQuestion } from '../../../../shared/model/decide-access.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';

/** What lists and teams let a person do in a volume. */
export interface GivenRights {
  readonly person: number;
  readonly volume: VolumeId;
  readonly rights: RightSet;
}

export interface DecidedAccess {
  readonly question: AccessQuestion;
  /** Who asks; null: who runs the server. */
  readonly person: number | null;
  readonly answer: AccessAnswer;
  readonly before: readonly GivenRights[];
  readonly after: readonly GivenRights[];
}
