/** The limits on contents, and what the server of the present session knows of them (transfer-limits.ts). */
import { NO_LIMITS, type TransferLimits } from '../../../shared/model/transfer-limits.ts';

/** The rate that a server keeps now; or it does not take any. */
type Told = { readonly rate: number | null } | 'too-old' | 'refused';

/** Keeps the limits, what the server was told, and whether it is being told. */
export class LimitsTold {
  settings: TransferLimits = NO_LIMITS;
  /** A server begins each session without a limit. */
  told: Told = { rate: null };
  isAsking = false;

  /** The server keeps the limit for what comes here; true without one. */
  isTold(): boolean {
    return typeof this.told === 'object' && this.told.rate === this.settings.download;
  }
}
