/** The page docs/reference/control-api.md: the calls of a daemon's control socket, from the table of commands. */
import { z } from 'zod';
import { cell, table } from './markdown.mjs';

const OPENING = `# Control API

A daemon listens on a Unix socket (a named pipe on Windows) for programs of its own user. The
command line and the window use nothing else. This page is made from the table in
\`shared/control/commands.ts\` (\`npm run docs\`); \`protocol.ts\` beside it states the contract of the
connection. The last column tells who of ours asks for a command. The page in a browser may ask for
what is for the window, and for nothing else.

| call | what it does |
| --- | --- |
| \`GET /v1/status\` | the status as one object, with a revision |
| \`GET /v1/status?revision=N&waitMs=M\` | waits until the revision differs from N, M milliseconds at most |
| \`POST /v1/command/NAME\` | one of the commands below, with a JSON object as its body |
| \`POST /v1/fs/NAME\` | one of the file operations below, likewise |
| \`GET /v1/calls\`, upgraded to a WebSocket | file operations as messages: \`{"id": N, "call": NAME, "args": ...}\` |

Every answer is \`{"ok": true, "result": ...}\` or \`{"ok": false, "error": ...}\`. An error has a
\`code\`, a \`message\` and a \`remedy\`; see [errors](errors.md). A handle belongs to the connection
that opened it, and ends with it. A question mark means that an argument can be left out.`;

/**
 * @param {Readonly<Record<string, import('../../shared/control/commands.ts').Command>>} commands
 * @param {Readonly<Record<string, import('zod').ZodType>>} operations
 * @returns {string}
 */
export function renderControlApi(commands, operations) {
  const rows = Object.entries(commands).map(([name, { args, says, callers }]) => [
    ...[`\`${name}\``, argumentsOf(args), cell(says), callers.join(', ')],
  ]);
  const files = Object.entries(operations).map(([name, args]) => [
    `\`${name}\``,
    argumentsOf(args),
  ]);
  const blocks = [
    OPENING,
    '## Commands',
    ...table(['`/v1/command/`', 'arguments', 'what it does', 'asked by'], rows),
    '## Files',
    ...table(['`/v1/fs/`', 'arguments'], files),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function argumentsOf(schema) {
  const json = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
  const choices = json.anyOf ?? [json];
  return choices.map((each) => fields(each) || 'none').join(' or ');
}

function fields({ properties = {}, required = [] }) {
  return Object.entries(properties)
    .map(([name, value]) => {
      const mark = required.includes(name) ? '' : '?';
      return `\`${name}${mark}\`: ${typeOf(value)}`;
    })
    .join('; ');
}

/** @returns {string} */
function typeOf(value) {
  if (value.const !== undefined) return `\`${JSON.stringify(value.const)}\``;
  if (value.enum !== undefined) return value.enum.map((word) => `\`${word}\``).join(', ');
  if (value.anyOf !== undefined) return value.anyOf.map(typeOf).join(' or ');
  if (value.type === 'array') return `list of ${typeOf(value.items ?? {})}`;
  if (value.type === 'object') return `{ ${fields(value)} }`;
  if (value.type === 'integer' || value.type === 'number') return numberOf(value);
  return [value.type ?? 'text'].flat().join(' or ');
}

/** With the ends that are a limit of ours. */
function numberOf({ minimum, maximum }) {
  const isBound = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return isBound ? `number, ${minimum ?? 'down'} to ${maximum}` : 'number';
}
