/** `godwit config`: all settings of a daemon. A change takes effect at once and outlives restarts. */
import type { Command } from 'commander';
import { readConfig } from '../../../shared/control/config.ts';
import type { CacheSettings } from '../../../shared/model/cache.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { isAgreed, stayingPlaceholders } from '../cache-bound.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { wordArgument } from '../fixed-values.ts';
import { formatTable } from '../format.ts';
import { printable } from '../printable.ts';
import {
  changeOf,
  settingOf,
  settingsOf,
  unsetOf,
  wordsOfSettings,
  type KnownSettings,
} from '../settings.ts';

/**
 * Builds `godwit config`, which lists all settings, shows one, sets one, or takes one back with
 * `--unset`.
 */
export function configCommand(cli: Cli): Command {
  const command = cli.withData('config', 'list the settings of a daemon, show one, or set one');
  const after = wordsOfSettings();
  const key = 'such as writeback.delay, or network.metered.budget';
  wordArgument(command, '[key]', key, { words: Object.keys(after) });
  wordArgument(command, '[value]', 'as `godwit config` shows it', { words: [], after });
  flag(command, '--unset', 'return this setting to its default');
  flag(command, '--experiments', 'list the switches for experiments, which nobody else needs');
  flag(command, '-y, --yes', 'do not ask before files are taken out of the folder');
  type Options = { unset?: boolean; yes?: boolean; experiments?: boolean };
  return cli.does<Options>(command, async (context, options, [key, value]) => {
    const { unset, yes = false, experiments = false } = options;
    if (unset === true && (key === undefined || value !== undefined)) {
      const about = key === undefined ? '' : `${key}: `;
      throw new GodwitError('usage', `${about}say which setting, and no value: --unset KEY`);
    }
    if (key === undefined) {
      await list(context, experiments);
      return EXIT.fine;
    }
    const change =
      unset === true ? unsetOf(key) : value === undefined ? null : changeOf(key, value);
    const isBound = change?.command === 'cache-settings';
    if (isBound && !(await isAgreed(context, key, change.args, yes))) {
      context.note('nothing was changed');
      return EXIT.failed;
    }
    const before = isBound ? await context.daemon.command('cache-settings', {}) : null;
    if (change !== null) await context.daemon.command(change.command, change.args);
    const known = await knownSettings(context);
    const { value: now, isDefault } = settingOf(key, known);
    const staying = isBound ? await stayingPlaceholders(context, change.args) : [];
    const moved = before === null ? [] : minimumWithIt(key, before, known.cache);
    context.result({ key, value: now, isDefault }, [printable(now), ...moved, ...staying]);
    return EXIT.fine;
  });
}

/** A minimum that nobody has set is never above the maximum: a line where it has changed by that. */
function minimumWithIt(key: string, before: CacheSettings, now: CacheSettings): string[] {
  if (key === 'cache.minimum' || before.minimum === now.minimum) return [];
  const [was, is] = [sizeText(before.minimum), sizeText(now.minimum)];
  return [`cache.minimum is ${is} with it, and was ${was}`];
}

/** Of the switches for experiments, those that somebody has set are seen in any case. Programs get all. */
async function list(context: Context, experiments: boolean): Promise<void> {
  const settings = settingsOf(await knownSettings(context));
  const listed = settings.filter(({ isExperiment, isDefault }) =>
    experiments ? isExperiment : !isExperiment || !isDefault,
  );
  const rows = listed.map(({ key, value, isDefault, says }) => [
    ...[printable(key), printable(value)],
    ...[isDefault ? 'default' : '', says],
  ]);
  const object = Object.fromEntries(settings.map(({ key, value }) => [key, value]));
  context.result({ settings: object }, formatTable(rows));
}

async function knownSettings({ daemon, dataDir }: Context): Promise<KnownSettings> {
  const writeback = await daemon.command('writeback', {});
  const cache = await daemon.command('cache-settings', {});
  const consistency = await daemon.command('consistency', {});
  const limits = await daemon.command('limits', {});
  const { networks } = await daemon.command('networks', {});
  return { writeback, cache, consistency, limits, networks, config: readConfig(dataDir) };
}
