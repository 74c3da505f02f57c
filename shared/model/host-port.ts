/** An address and port to listen on or to connect to. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

export function formatHostPort({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
