/** Where somebody listens, or answers. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

export function formatHostPort({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
