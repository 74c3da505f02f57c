/**
 * One end of a line that bulk and urgent messages share with TCP, a process of its own. It answers each line of its input with one, JSON.
 *
 *   rival-end.ts serve FOLDER SCHEDULING HOST      says where it is
 *   rival-end.ts call FOLDER SCHEDULING SERVED     connects to what the other said, and says so
 */
import { createInterface } from 'node:readline';
import {
  formatStartupFailure,
  startupFailure,
} from '../../../../shared/control/startup-failure.ts';
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import { CallingEnd, ServingEnd } from '../delay/delay-ends.ts';
import { UrgentMessages } from '../delay/urgent-messages.ts';
import type { Question, ServedBoth } from './rival-talk.ts';
import { TcpFlows } from './tcp-flows.ts';

type Answering = (question: Question) => object | Promise<object>;

const DONE = {};
/** The process that started it ends it. */
const NEVER = new AbortController().signal;
const flows = new TcpFlows();

const [role, folder = '', scheduling = '', at = ''] = process.argv.slice(2);
const settings = { folder, scheduling: scheduling as Scheduling };

async function serve(): Promise<Answering> {
  const served = await new ServingEnd(settings).listen(at);
  say({ ...served, flowPort: await flows.listen(at) } satisfies ServedBoth);
  return ({ ask }) => {
    if (ask !== 'came') throw new Error(`${ask}: this end does not call`);
    return { bytes: flows.came() };
  };
}

async function call(): Promise<Answering> {
  const served = JSON.parse(at) as ServedBoth;
  const end = new CallingEnd(settings);
  await end.connect(served, NEVER);
  const begin = (): UrgentMessages => new UrgentMessages(() => end.roundTrip(), NEVER);
  let messages = begin();
  say(DONE);
  return async (question) => {
    switch (question.ask) {
      case 'came':
        return { bytes: flows.came() };
      case 'bulk':
        end.beginBulk(question.direction);
        return DONE;
      case 'flows':
        await flows.begin(served.host, served.flowPort, question.direction);
        return DONE;
      case 'send':
        messages = begin();
        await messages.send(question.bounds);
        return DONE;
      case 'answers':
        return messages.answers();
    }
  };
}

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

try {
  const answer = await (role === 'serve' ? serve() : call());
  for await (const line of createInterface({ input: process.stdin }))
    say(await answer(JSON.parse(line) as Question));
} catch (error) {
  process.stdout.write(`${formatStartupFailure(startupFailure(error))}\n`);
  process.exitCode = 1;
}
// The Link and its threads would keep it.
process.exit();
