/** Of Ethernet, IPv4 and TCP with its times: what each segment has beside its payload, as a line counts it. */
export const HEADER_BYTES = 66;

/** How many segments have come, by `/proc/net/snmp` of a namespace; those that the network card has put together count each. */
export function segmentsIn(snmp: string): number {
  const [names = [], values = []] = snmp
    .split('\n')
    .filter((line) => line.startsWith('Tcp: '))
    .map((line) => line.split(' '));
  const count = Number(values[names.indexOf('InSegs')]);
  if (!Number.isSafeInteger(count)) throw new Error('/proc/net/snmp: no InSegs of Tcp');
  return count;
}
