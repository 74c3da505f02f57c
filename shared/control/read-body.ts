/**
 * Validates the arguments of calls: the body of a request, or another source. Invalid ones throw `bad-message` or `bad-name`, with what is wrong.
 */
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { MAX_BODY_BYTES } from './limits.ts';
import { GodwitError } from '../wire/error-codes.ts';

/**
 * Reads and validates the JSON body of a request. Rejects `bad-message` or `bad-name`, and
 * BodyTooLarge.
 */
export async function readArguments<S extends z.ZodType>(
  request: IncomingMessage,
  schema: S,
): Promise<z.output<S>> {
  return validArguments(schema, parseJson(await readBody(request)));
}

/**
 * The arguments as the schema reads them. Throws `bad-name` for an impossible file name, else
 * `bad-message`.
 */
export function validArguments<S extends z.ZodType>(schema: S, args: unknown): z.output<S> {
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const isName = issue?.code === 'custom' && issue.params?.['is'] === 'bad-name';
  throw new GodwitError(isName ? 'bad-name' : 'bad-message', faultOf(issue));
}

/** Thrown apart, since the rest of such a body is not read and its connection ends. */
export class BodyTooLarge extends GodwitError {
  constructor() {
    super('bad-message', `a request may have ${MAX_BODY_BYTES} bytes`);
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw new BodyTooLarge();
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    length += (part as Buffer).length;
    if (length > MAX_BODY_BYTES) throw new BodyTooLarge();
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

/** Parses a body that must be JSON in UTF-8. Throws `bad-message`. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new GodwitError('bad-message', 'the request is not JSON in UTF-8');
  }
}

function faultOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'the arguments are not those of this call';
  const where = issue.path.map(String).join('.');
  return where === '' ? issue.message : `${where}: ${issue.message}`;
}
