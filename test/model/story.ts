/** A finding told in sentences: the path to it is walked again, and this time somebody listens. */
import type { Action } from './actions.ts';
import type { Machine } from './machine.ts';
import type { Rules } from './rules.ts';
import type { Scope } from './scope.ts';
import { machineOf } from './search.ts';
import type { Finding } from './world.ts';

export function storyOf(
  scope: Scope,
  rules: Rules,
  path: readonly Action[],
  finding: Finding,
): string[] {
  return storyIn(machineOf(scope, rules), path, finding);
}

/** Walks the path again from the start of the machine: one sentence for each step, then what it breaks. */
export function storyIn<S, A>(
  machine: Machine<S, A>,
  path: readonly A[],
  finding: Finding,
): string[] {
  let state = machine.start;
  const lines: string[] = [];
  for (const action of path) {
    const step = machine.apply(state, action, true);
    const [first, ...more] = step.said ?? [];
    lines.push(sentence([first ?? 'something happens', ...more]));
    state = step.state;
  }
  lines.push(`${capital(finding.text)}.`, `Broken: ${broken(finding)}.`);
  return lines;
}

export function broken(finding: Finding): string {
  return /^\d$/.test(finding.promise) ? `promise ${finding.promise}` : finding.promise;
}

function sentence(parts: readonly string[]): string {
  return `${capital(parts.map((part) => part.replace(/^and /, 'and ')).join('; '))}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
