/** A finding told in sentences: the path to it is walked again, and this time somebody listens. */
import { apply, type Action } from './actions.ts';
import { initialState } from './initial.ts';
import type { Rules } from './rules.ts';
import type { Scope } from './scope.ts';
import type { Finding } from './world.ts';

export function storyOf(
  scope: Scope,
  rules: Rules,
  path: readonly Action[],
  finding: Finding,
): string[] {
  let state = initialState(scope);
  const lines: string[] = [];
  for (const action of path) {
    const step = apply(state, action, rules, scope, true);
    const [first, ...more] = step.said ?? [];
    lines.push(sentence([first ?? action.do, ...more]));
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
