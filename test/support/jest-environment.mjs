/**
 * Jest's Node environment, with two repairs.
 *
 * Errors, dates and promises of Node's core are such in the tests too. Tests run in a realm of their own, so an error that `node:fs`
 * throws is made by another `Error` than the one the test sees, and `instanceof Error` says no. Handing in the outer classes would
 * only turn the problem round (the engine makes a TypeError of the test's realm for `null.x`). So each such class of the test's realm
 * says yes to instances of its outer twin as well.
 *
 * And the realm has an ordinary global object. Jest's own passes each use of a global (`Map`, `Math`, `undefined`) through a proxy, to see
 * which were set; simulated histories took twice the processor time for it.
 */
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const TWINS = {
  Error,
  AggregateError,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  Date,
  Map,
  Promise,
  RegExp,
  Set,
};
const isInstance = Function.prototype[Symbol.hasInstance];

export default class GodwitEnvironment extends TestEnvironment {
  constructor(config, context) {
    const { createContext, constants } = vm;
    vm.createContext = () => createContext(constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
    for (const [name, outer] of Object.entries(TWINS)) acceptTwin(this.global[name], outer);
  }
}

/** Subclasses inherit the method, so only the class itself may widen its answer. */
function acceptTwin(inner, outer) {
  Object.defineProperty(inner, Symbol.hasInstance, {
    configurable: true,
    value(candidate) {
      if (isInstance.call(this, candidate)) return true;
      return this === inner && isInstance.call(outer, candidate);
    },
  });
}
