/** What is known of the daemon, kept current by one held request; and the rates of the last minutes. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { CallError, resultOf, type Api } from '../view/api.ts';
import { RateHistory } from '../view/rate-history.ts';
import type { Known } from '../view/status-view.ts';

const WAIT_MS = 20_000;
/** A daemon that is away is looked for so often. */
const AGAIN_MS = 1000;
const SAMPLE_MS = 1000;

export interface Watched {
  readonly known: Known;
  /** The last status that was seen; null: none was. */
  readonly last: StatusSnapshot | null;
  /** This page has no session, and can get none. */
  readonly isSignedOut: boolean;
  readonly history: RateHistory;
  /** Grows each second. */
  readonly tick: number;
}

/** Follows the daemon with one held request, and samples its rates every `SAMPLE_MS`. */
export function useDaemon(api: Api): Watched {
  const [known, setKnown] = useState<Known>({ kind: 'looking' });
  const [isSignedOut, setSignedOut] = useState(false);
  const [tick, setTick] = useState(0);
  const [history] = useState(() => new RateHistory());
  const latest = useRef<StatusSnapshot | null>(null);
  const [last, setLast] = useState<StatusSnapshot | null>(null);

  useEffect(() => {
    const stop = new AbortController();
    const told = (next: Known): void => {
      latest.current = next.kind === 'running' ? next.status : null;
      if (next.kind === 'running') setLast(next.status);
      setKnown(next);
    };
    void watch(api, stop.signal, told, () => setSignedOut(true));
    return () => stop.abort();
  }, [api]);

  useEffect(() => {
    const timer = setInterval(() => {
      history.add(performance.now(), latest.current?.link.rates ?? null);
      setTick((n) => n + 1);
    }, SAMPLE_MS);
    return () => clearInterval(timer);
  }, [history]);

  return { known, last, isSignedOut, history, tick };
}

async function watch(
  api: Api,
  signal: AbortSignal,
  told: (known: Known) => void,
  signedOut: () => void,
): Promise<void> {
  let revision: number | null = null;
  while (!signal.aborted) {
    try {
      const status: StatusSnapshot = await api.status(revision, WAIT_MS);
      if (signal.aborted) return;
      if (status.revision !== revision) told({ kind: 'running', status });
      revision = status.revision;
    } catch (error) {
      if (error instanceof CallError && error.code === 'page-signed-out') return signedOut();
      revision = null;
      told({ kind: await absence(api) });
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** A first run is one as long as it answers: what it is doing may fail, and be tried again. */
async function absence({ carrier }: Api): Promise<'new' | 'away'> {
  const { program, firstRun } = carrier;
  const isNew = program?.isNew() ?? firstRun?.isNew();
  if (isNew === undefined) return 'away';
  const told = await resultOf<boolean>(isNew).catch(() => null);
  return told === true || (told !== null && firstRun !== null) ? 'new' : 'away';
}
