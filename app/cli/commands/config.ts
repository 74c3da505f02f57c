/** `godwit config`: all settings of a daemon. A change takes effect at once and outlives restarts. */
import type { Command } from 'commander';
import { readConfig } from '../../../shared/control/config.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatTable } from '../format.ts';
import { printable } from '../printable.ts';
import { changeOf, settingsOf, unsetOf, valueOf, type KnownSettings } from '../settings.ts';

/**
 * Builds `godwit config`, which lists all settings, shows one, sets one, or takes one back with
 * `--unset`.
 */
export function configCommand(cli: Cli): Command {
  const command = cli
    .withData('config', 'list the settings of a daemon, show one, or set one')
    .argument('[key]', 'such as writeback.delay, or network.metered.budget')
    .argument('[value]', 'as `godwit config` shows it');
  flag(command, '--unset', 'take back what was said of this one: it is as it was at first');
  return cli.does<{ unset?: boolean }>(command, async (context, { unset }, [key, value]) => {
    if (unset === true && (key === undefined || value !== undefined)) {
      const about = key === undefined ? '' : `${key}: `;
      throw new GodwitError('usage', `${about}say which setting, and no value: --unset KEY`);
    }
    if (key === undefined) return list(context);
    const change =
      unset === true ? unsetOf(key) : value === undefined ? null : changeOf(key, value);
    if (change !== null) await context.daemon.command(change.command, change.args);
    const now = valueOf(key, await knownSettings(context));
    context.result({ key, value: now }, [printable(now)]);
  });
}

async function list(context: Context): Promise<void> {
  const settings = settingsOf(await knownSettings(context));
  const rows = settings.map(({ key, value, says }) => [printable(key), printable(value), says]);
  const object = Object.fromEntries(settings.map(({ key, value }) => [key, value]));
  context.result({ settings: object }, formatTable(rows));
}

async function knownSettings({ daemon, dataDir }: Context): Promise<KnownSettings> {
  const writeback = await daemon.command('writeback', {});
  const cache = await daemon.command('cache-settings', {});
  const consistency = await daemon.command('consistency', {});
  const { networks } = await daemon.command('networks', {});
  return { writeback, cache, consistency, networks, config: readConfig(dataDir) };
}
