/** `godwit network`: the networks that this machine is on, and what may move on them in the background. */
import type { Command } from 'commander';
import type { NetworkList, NetworkRow } from '../../../shared/control/network.ts';
import { METERED_RULES, wrongNetworkName } from '../../../shared/model/network.ts';
import type { NetworkRule } from '../../../shared/model/network.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseBudget, parseTrickle } from '../arguments.ts';
import { oneOf } from '../fixed-values.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatTable } from '../format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { printable } from '../printable.ts';

const CLOSING = `
NETWORK is a name as \`godwit network\` shows it, gateway:ADDRESS, subnet:ADDRESS/BITS, interface:NAME, or
metered: the rule for every metered network, which says what their own rules leave open.
Only background contents are held: metadata, and what you open, move on every network.`;

interface RuleFlags {
  readonly metered?: NetworkRule['metered'];
  /** `auto`: as the rule for metered networks says, or no bound. */
  readonly budget?: number | 'auto';
  readonly trickle?: number | 'auto';
  readonly pause?: boolean;
}

/**
 * Builds `godwit network`, which lists the known networks, with its subcommands `ls`, `set` and
 * `forget`.
 */
export function networkCommand(cli: Cli): Command {
  const command = cli.withData('network', 'networks, and what may move on them in the background');
  command.enablePositionalOptions();
  command.addHelpText('after', CLOSING);
  cli.does(command, list);
  command.addCommand(cli.does(cli.withData('ls', 'list networks, today’s data and rules'), list));
  command.addCommand(setCommand(cli));
  command.addCommand(forgetCommand(cli));
  return command;
}

function setCommand(cli: Cli): Command {
  const command = cli.withData('set', 'rule what background contents may do on a network');
  command.argument(
    '<network>',
    'its name, gateway:ADDRESS, subnet:ADDRESS/BITS, interface:NAME, or metered',
  );
  command.addHelpText('after', CLOSING);
  flag(command, '--metered <how>', 'yes, no, or auto', undefined, oneOf(...METERED_RULES));
  flag(command, '--budget <size/day>', 'such as 200MB/day, or auto', undefined, parseBudget);
  flag(command, '--trickle <rate>', 'a second, such as 64KB, or auto', undefined, parseTrickle);
  flag(command, '--pause', 'background contents wait for another network');
  command.option('--no-pause', 'they do not');
  return cli.does<RuleFlags>(command, async (context, flags, [network = '']) => {
    const rule = ruleOf(flags);
    if (Object.keys(rule).length === 0) {
      throw new GodwitError('usage', 'network set: give --metered, --budget, --trickle or --pause');
    }
    await context.daemon.command('network-rule', { network: named(network), rule });
    await say(context, network);
  });
}

/** What is not there is a rule, and no file. */
async function forget({ daemon }: Context, network: string): Promise<void> {
  try {
    await daemon.command('network-rule', { network, rule: null });
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code !== 'not-found') throw error;
    throw new GodwitError(error.code, error.message, 'see `godwit network`');
  }
}

function forgetCommand(cli: Cli): Command {
  const command = cli.withData('forget', 'remove the rule of a network');
  command.argument('<network>', 'as `godwit network` shows it');
  return cli.does(command, async (context, _flags, [network = '']) => {
    await forget(context, named(network));
    context.result({ network, rule: null }, [`${printable(network)}: no rule`]);
  });
}

function named(network: string): string {
  const wrong = wrongNetworkName(network);
  if (wrong !== null) throw new GodwitError('usage', `network: no name of a network: ${wrong}`);
  return network;
}

function ruleOf({ metered, budget, trickle, pause }: RuleFlags): Partial<NetworkRule> {
  return {
    ...(metered === undefined ? {} : { metered }),
    ...(budget === undefined ? {} : { budget: budget === 'auto' ? null : budget }),
    ...(trickle === undefined ? {} : { trickle: trickle === 'auto' ? null : trickle }),
    ...(pause === undefined ? {} : { pause }),
  };
}

const listOf = async ({ daemon }: Context): Promise<NetworkList> =>
  await daemon.command('networks', {});

async function list(context: Context): Promise<void> {
  const told = await listOf(context);
  const { network: now = null } = await context.daemon.status();
  const lines = formatTable(told.networks.map((row) => cellsOf(row)));
  const none = now === null ? ['which network this machine is on is not known'] : [];
  context.result({ ...told, now }, [...none, ...lines]);
}

async function say(context: Context, network: string): Promise<void> {
  const { networks } = await listOf(context);
  const row = networks.find((each) => each.network === network);
  if (row !== undefined) context.result(row, [cellsOf(row).join('  ').trim()]);
}

function cellsOf({ network, rule, used, current }: NetworkRow): string[] {
  return [
    current ? '*' : '',
    printable(network),
    `${sizeText(used)} today`,
    rule === null ? 'no rule' : textOf(rule),
  ];
}

function textOf({ metered, budget, trickle, pause }: NetworkRule): string {
  return [
    `metered: ${metered}`,
    ...(budget === null ? [] : [`budget ${sizeText(budget)}/day`]),
    ...(trickle === null ? [] : [`trickle ${sizeText(trickle)}/s`]),
    ...(pause ? ['paused'] : []),
  ].join(', ');
}
