/** Changes that have all reached the server, which has not answered yet. */

/** One queue of the log: numbers of updates, and bytes of contents. */
interface Sent {
  readonly updates: number;
  readonly inFlight: number;
  readonly bytes: number;
  readonly sentBytes: number;
  readonly cancelled: number;
  readonly cancelledBytes?: number;
}

/** All that goes out is sent, contents included, and waits for the answer of the server. False: nothing goes out. */
export function isAllSent({ metadata, data }: { metadata: Sent; data: Sent }): boolean {
  const going = [metadata, data].map(({ updates, cancelled }) => updates - cancelled);
  const isUnderWay = going[0] === metadata.inFlight && going[1] === data.inFlight;
  const contents = data.bytes - (data.cancelledBytes ?? 0);
  return isUnderWay && metadata.inFlight + data.inFlight > 0 && data.sentBytes >= contents;
}

/**
 * Said of changes that are all sent. The server answers when the laptops that cache a file know of the change, or when their leases have ended
 * (`BREAK_PATIENCE` of the server).
 */
export const UNANSWERED =
  'sent; the server has not answered yet (up to 30 s, where a laptop is out of reach)';
