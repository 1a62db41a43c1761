/** The public address of a service, when it has one. */

import type { AppSpec } from './kind.ts';

/** `https://host/path`; undefined for a service without a public host. */
export function addressOf(spec: AppSpec): string | undefined {
  const { host, path, tlsEnabled } = spec.ingress;
  if (host === '') return undefined;
  return `${tlsEnabled ? 'https' : 'http'}://${host}${path === '/' ? '' : path}`;
}
