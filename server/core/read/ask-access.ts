/**
 * Access lists and teams: people look at them, and change those that are theirs to change. The store decides (shared/model/decide-access.ts), in the
 * transaction in which it writes, so that no two changes are decided on the same lists.
 *
 * A change is answered when those whom it touches and who are connected have lost their connection for it: with the next Hello each hears what it may do
 * now, and nothing that was decided before reaches them (rules A1, A2).
 */
import type { AccessAnswer, AccessQuestion } from '../../../shared/model/decide-access.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { AnyRequest } from '../../../shared/wire/rpcs.ts';
import { fail, reply } from '../device/answer.ts';
import { rightIn, type DeviceState } from '../device/device.ts';
import type { AskedAccess, CallId, ServerEvent } from '../events.ts';
import type { Context } from '../state.ts';

type AccessRequest = Extract<AnyRequest, { rpc: AskedAccess['rpc'] }>;

/** Asks the store. Of a volume that the device may not see nothing is asked. */
export function askAccess(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  request: AccessRequest,
): void {
  const { rpc } = request;
  const question = questionOf(request, ctx.wall);
  if (!maySee(device, question)) fail(ctx, device, call, 'no-such-volume');
  else ctx.out.push({ kind: 'ask-access', call, rpc, user: device.user, question });
}

function questionOf(request: AccessRequest, when: WallTime): AccessQuestion {
  switch (request.rpc) {
    case 'AccessList':
      return { ask: 'list', ...request.body };
    case 'SetAccess':
      return { ask: 'set', ...request.body };
    case 'Teams':
      return { ask: 'teams', ...request.body };
    case 'ChangeTeam':
      return request.body.change;
    case 'Shares':
      return { ask: 'shares' };
    case 'MakeVolume':
      return { ask: 'make-volume', ...request.body, when };
    case 'LeaveVolume':
      return { ask: 'leave', ...request.body };
  }
}

const maySee = (device: DeviceState, question: AccessQuestion): boolean =>
  !('volume' in question) || rightIn(device, question.volume) !== null;

/** The store has answered. Who lost sight of the volume meanwhile is told nothing of it (rule A3). */
export function accessAnswered(
  ctx: Context,
  { call, rpc, question, answer }: Extract<ServerEvent, { kind: 'access-answer' }>,
): void {
  const { state } = ctx;
  if (answer.answer === 'done' || answer.answer === 'made') state.accessDoubts += 1;
  const device = state.calls.get(call)?.device ?? null;
  if (device === null) return;
  if (answer.answer === 'none') return fail(ctx, device, call, answer.code);
  if (!maySee(device, question)) return fail(ctx, device, call, 'no-such-volume');
  if (answer.answer === 'refused') {
    const detail = answer.code === 'no-such-volume' ? '' : answer.message;
    return fail(ctx, device, call, answer.code, detail);
  }
  const doubts = state.accessDoubts;
  if (rpc === 'SetAccess' || rpc === 'ChangeTeam' || rpc === 'LeaveVolume') {
    state.accessReplies.push({ call, reply: { rpc, body: {} }, doubts });
  } else if (answer.answer === 'made') {
    const { volume, name } = answer;
    state.accessReplies.push({
      call,
      reply: { rpc: 'MakeVolume', body: { volume, name } },
      doubts,
    });
  } else tellLists(ctx, device, call, answer);
}

function tellLists(ctx: Context, device: DeviceState, call: CallId, answer: AccessAnswer): void {
  if (answer.answer === 'list') {
    const { own, entries } = answer;
    reply(ctx, device, call, { rpc: 'AccessList', body: { own, entries: [...entries] } });
  } else if (answer.answer === 'teams') {
    const teams = answer.teams.map(({ members, ...team }) => {
      return { ...team, ...(members === undefined ? {} : { members: [...members] }) };
    });
    reply(ctx, device, call, { rpc: 'Teams', body: { teams } });
  } else if (answer.answer === 'shares') {
    // Of a volume whose right came or went meanwhile this device hears with its Hello.
    const shares = answer.shares.filter(({ volume }) => rightIn(device, volume) !== null);
    reply(ctx, device, call, { rpc: 'Shares', body: { person: answer.person, shares } });
  }
}

/** Rights were looked at for these doubts, and who lost some has lost its connection. */
export function accessIsInForce(ctx: Context, doubts: number): void {
  const { state } = ctx;
  const waiting = state.accessReplies.splice(0);
  for (const waits of waiting) {
    const device = state.calls.get(waits.call)?.device ?? null;
    if (waits.doubts > doubts) state.accessReplies.push(waits);
    else if (device !== null) reply(ctx, device, waits.call, waits.reply);
  }
}
