/** The Secrets that sign-in rests on: users, API tokens, device sign-ins; how their values are packed. */
import type { KubeObject } from '../cluster/object.ts'
import { labels, managedBySvc } from '../kinds/annotations.ts'
import { systemNamespace } from '../kinds/group.ts'

export interface AuthSecret extends KubeObject {
  type?: string
  data?: Record<string, string>
}

/** The label that a replica watches: one watch for all of them, and none for any other Secret. */
export const authLabel = 'svc.dev/auth'
export type AuthPurpose = 'users' | 'token' | 'devices' | 'first-sign-in'

/** A Secret whose values are given in plain text. */
export function authSecret(name: string, purpose: AuthPurpose, values: Record<string, string>, extraLabels: Record<string, string> = {}): AuthSecret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: systemNamespace,
      labels: { [labels.managedBy]: managedBySvc, [authLabel]: purpose, ...extraLabels },
    },
    type: 'Opaque',
    data: packed(values),
  }
}

/** The Secret with some values replaced. */
export function withValues(secret: AuthSecret, values: Record<string, string>): AuthSecret {
  return { ...secret, data: { ...secret.data, ...packed(values) } }
}

/** One value as text; undefined when the key is absent. */
export function valueOf(secret: AuthSecret, key: string): string | undefined {
  const value = secret.data?.[key]
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8')
}

/** One value as the JSON it holds. Throws without repeating it: it is a secret. */
export function jsonOf(secret: AuthSecret, key: string): unknown {
  try {
    return JSON.parse(valueOf(secret, key) ?? 'null')
  } catch {
    throw new Error(`Secret ${secret.metadata.name} holds no JSON under ${key}`)
  }
}

function packed(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, text]) => [key, Buffer.from(text).toString('base64')]))
}
