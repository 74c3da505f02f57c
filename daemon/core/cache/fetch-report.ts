/** The contents that are being fetched, as people see them: those under way, then those that wait, in the order they were asked for. */
import type { FetchEntry, FetchReport } from '../../../shared/control/queue.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import type { ContentsFetch } from './fetch-list.ts';
import type { ClientState } from '../state.ts';
import { pathOf, viewPlaces } from '../log/view.ts';
import { textOf } from '../waits/wait-key.ts';
import { isDemanded } from './obtain.ts';

/** `most`: entries; the rest is counted only. */
export function fetchReport(state: ClientState, most: number): FetchReport {
  const received = receivedBytes(state);
  const all = [...state.cache.fetches.values()];
  const inOrder = [
    ...all.filter((fetching) => fetching.state === 'running'),
    ...all.filter((fetching) => fetching.state !== 'running'),
  ];
  const entries = inOrder
    .slice(0, most)
    .map((fetching) => shown(state, fetching, received.get(textOf(fetching.key)) ?? 0));
  return { total: all.length, entries };
}

function receivedBytes(state: ClientState): Map<string, number> {
  const received = new Map<string, number>();
  for (const { purpose, receivedBytes: bytes } of state.requests.values()) {
    if (purpose.for === 'contents') received.set(textOf(purpose.key), bytes);
  }
  return received;
}

function shown(state: ClientState, fetching: ContentsFetch, received: number): FetchEntry {
  const { fid, ahead } = fetching;
  const volume = volumeOf(fid);
  const place = viewPlaces(state, fid)[0];
  const bytes =
    state.names.attributes.get(fid)?.size ?? (fetching.bytes > 0 ? fetching.bytes : null);
  return {
    volume: state.names.volumes.get(volume)?.row.info.name ?? String(volume),
    path: place === undefined ? null : pathOf(state, place),
    demanded: isDemanded(state, fetching),
    ...(ahead ? { ahead } : {}),
    state: fetching.state === 'running' ? 'on its way' : 'waiting',
    bytes,
    receivedBytes: bytes === null ? received : Math.min(received, bytes),
  };
}
