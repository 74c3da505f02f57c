/** A laptop's end of the network, seen from between its runtime and its link: what it hands over, and in which class. */
import type { Transport } from '../../../../shared/ports/transport.ts';
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';

/** Wraps a transport so that `sending` hears the class of each request, right before it is sent. */
export function watchedRequests(
  inner: Transport,
  sending: (priorityClass: PriorityClass) => void,
): Transport {
  return {
    listen: (options) => inner.listen(options),
    connect: (options) => inner.connect(options),
    request: (connection, request) => {
      sending(request.priorityClass);
      return inner.request(connection, request);
    },
    reply: (call, reply) => inner.reply(call, reply),
    setClass: (call, priorityClass) => inner.setClass(call, priorityClass),
    abort: (call, code) => inner.abort(call, code),
    rebind: (connection) => inner.rebind(connection),
    admit: (connection) => inner.admit(connection),
    limit: (connection, rate) => inner.limit(connection, rate),
    close: (connection) => inner.close(connection),
    shutdown: () => inner.shutdown(),
  };
}
