/** How the port is opened in the firewalls that machines have. Only said: rules of a firewall are its owner's. */

interface Firewall {
  readonly program: string;
  readonly commands: (port: number) => readonly string[];
}

const FIREWALLS: readonly Firewall[] = [
  { program: 'ufw', commands: (port) => [`sudo ufw allow ${port}/udp`] },
  {
    program: 'firewall-cmd',
    commands: (port) => [
      `sudo firewall-cmd --permanent --add-port=${port}/udp`,
      'sudo firewall-cmd --reload',
    ],
  },
  {
    program: 'nft',
    commands: (port) => [
      `sudo nft add rule inet filter input udp dport ${port} accept   # and in /etc/nftables.conf`,
    ],
  },
];

/** Lines for a person. `isHere`: whether a program is on this machine. Of several the first is the one that people use. */
export function firewallLines(port: number, isHere: (program: string) => boolean): string[] {
  const found = FIREWALLS.find(({ program }) => isHere(program));
  const here =
    found === undefined
      ? ['No firewall program was found on this machine.']
      : found.commands(port).map((command) => `  ${command}`);
  return [
    `Open UDP port ${port}; no TCP port is needed.`,
    ...here,
    'A firewall of the provider, and a router that forwards ports, need the same.',
  ];
}
