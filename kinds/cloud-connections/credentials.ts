/**
 * The conditions under which a cloud connection can be used, and the messages when it cannot
 * (docs/reference/projects.md#cloud-connections).
 */
import { labels } from '../meta/annotations.ts'
import type { CloudConnection, CloudConnectionSpec } from './kind.ts'

/** The texts of the Secret `<name>-credentials` by key. */
export type CloudKeys = Readonly<Record<string, string>>

const wanted: Record<CloudConnectionSpec['provider'], readonly string[]> = {
  AWS: ['accessKeyId', 'secretAccessKey'],
  PlanetScale: ['token', 'organization'],
}

/**
 * Why the keys of a connection cannot be used, without any value of them; '' when they can. `keys` is undefined where
 * the Secret is missing or not one of the project.
 */
export function incompleteKeys(
  { provider, project, secretRef }: Pick<CloudConnectionSpec, 'provider' | 'project' | 'secretRef'>,
  keys: CloudKeys | undefined,
): string {
  if (keys === undefined) return `Secret ${secretRef.name} is missing, or lacks the label ${labels.project}=${project}`
  const missing = wanted[provider].filter((key) => (keys[key] ?? '') === '')
  return missing.length === 0 ? '' : `Secret ${secretRef.name} lacks ${missing.join(' and ')}`
}

/** Why a resource of the project may not use this connection; '' when it may. */
export function unusable(
  name: string,
  connection: CloudConnection | undefined,
  { project, provider }: { project: string; provider: CloudConnectionSpec['provider'] },
): string {
  if (connection === undefined) return `cloud connection ${name} is missing`
  if (connection.spec.project !== project) return `cloud connection ${name} is not scoped to this project`
  if (connection.spec.provider !== provider)
    return `cloud connection ${name} has the wrong provider: ${connection.spec.provider}, not ${provider}`
  return ''
}
