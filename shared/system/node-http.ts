/**
 * Node's HTTP. Imported as a module it brings Node's whole `fetch` along: for an import each of its exports is looked up, those that are
 * loaded only when somebody asks among them. That was a sixth of what a short command takes to start; `require` looks nothing up.
 */
import type * as Http from 'node:http';
import { createRequire } from 'node:module';

const http = createRequire(process.execPath)('node:http') as typeof Http;

export const { Agent, createServer, request } = http;
