/** The limits of the fake daemon, and what it was told of them. */
import {
  NO_LIMITS,
  type LimitsChange,
  type TransferLimits,
} from '../../shared/model/transfer-limits.ts';

/** Gives the method of a daemon that notes each call in `calls`. */
export function fakeLimits(calls: string[]): (change: LimitsChange) => Promise<TransferLimits> {
  let now = NO_LIMITS;
  return ({ upload, download }) => {
    calls.push(`limits ${JSON.stringify({ upload, download })}`);
    now = {
      upload: upload === undefined ? now.upload : upload,
      download: download === undefined ? now.download : download,
    };
    return Promise.resolve(now);
  };
}
