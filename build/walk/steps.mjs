/** The first day, as people type it: from three empty machines to a file that is on the second laptop, and away again. */
import { untilGiven } from './machine.mjs';

export const [REPOSITORY_HOST, SERVER_HOST] = ['packages.example', 'files.example'];
const DATA = '/var/lib/godwit-server';
const LETTER = 'dear carl\n';

const install = (name) => `wget -qO- http://${REPOSITORY_HOST}/install.sh | sudo sh -s ${name}`;
const JOIN = 'godwit up --folder ~/Godwit --invite -';
const invitationIn = (text) => {
  const found = /^\s*(godwit:\S+)/m.exec(text);
  if (found === null) throw new Error(`there is no invitation in: ${text}`);
  return `${found[1]}\n`;
};

/**
 * What a person does until the file is there. `step` runs a line of theirs and counts it; `systemd`: whether one starts the server.
 * Throws where a step fails.
 */
export async function walkIn({ server, laptops: [first, second] }, step, { systemd }) {
  await step(server, install('godwit-server'));
  const set = await step(server, `sudo godwit-server setup --address ${SERVER_HOST}`);
  if (!systemd) await step(server, 'sudo godwit-server >/tmp/server.log 2>&1 &');
  await step(first, install('godwit-desktop'));
  await step(first, JOIN, invitationIn(set));
  const invited = await step(server, 'sudo godwit-server invite');
  await step(second, install('godwit-desktop'));
  await step(second, JOIN, invitationIn(invited));
  await step(first, "echo 'dear carl' > ~/Godwit/letter");
  await untilGiven(() => hasLetter(second));
}

async function hasLetter(laptop, name = 'letter') {
  const { stdout } = await laptop.as('ann', `cat ~/Godwit/${name}`);
  if (stdout !== LETTER) throw new Error(`${laptop.name}: the letter is ${JSON.stringify(stdout)}`);
}

/** What a removal leaves: a laptop's folder and settings, the server's data; and that all of it goes on after a new installation. */
export async function walkOut({ server, laptops: [first, second] }, report, { systemd }) {
  const apt = async (machine, words) =>
    (await machine.root(`apt-get -qy ${words} </dev/null`)).stdout;
  await apt(second, 'remove godwit-desktop godwit');
  await hasLetter(second);
  const runs = 'cat /proc/[0-9]*/cmdline | tr "\\0" " "';
  const { stdout: left } = await second.root(runs);
  if (left.includes('/usr/lib/godwit/'))
    throw new Error(`${second.name}: a daemon outlasts the removal`);
  report('removed on the second laptop', "its daemon has ended, and its user's files are there");
  await first.as('ann', "echo 'dear carl' > ~/Godwit/second");
  await apt(second, 'install godwit-desktop');
  await second.as('ann', 'godwit up');
  await untilGiven(() => hasLetter(second, 'second'));
  report('installed again', 'the laptop goes on where it was, without a new invitation');
  await apt(second, 'purge godwit-desktop godwit');
  await hasLetter(second);
  await second.as('ann', 'test -f ~/.local/state/godwit/default/config.json');
  report('purged on the second laptop', 'the folder of its user and their settings are there');

  const { stdout: set } = await server.root(
    'godwit-server setup --port 5544 --without-invitation --json',
  );
  if (systemd) await untilGiven(() => server.root('godwit-server ready'));
  const { stdout: owner } = await server.root(`stat -c '%U %a' ${DATA}`);
  report('server set up again', `${JSON.parse(set).address}, data of ${owner.trim()}`);
  await apt(server, 'remove godwit-server godwit');
  await server.root(`test -f ${DATA}/server.db && test -f /etc/godwit-server/server.conf`);
  await apt(server, 'install godwit-server');
  if (systemd) await untilGiven(() => server.root('godwit-server ready'));
  report(
    'server removed, and installed again',
    `its data are there${systemd ? ', and it serves' : ''}`,
  );
  const purged = await apt(server, 'purge godwit-server godwit');
  if (!purged.includes(`stay in ${DATA}`))
    throw new Error('purge does not say where the files are');
  await server.root(`test -f ${DATA}/server.db && test ! -e /etc/godwit-server`);
  await server.root('test ! -e /usr/lib/godwit && test ! -e /usr/sbin/godwit-server');
  report('purged on the server', 'its data are there, its settings and programs are not');
}
