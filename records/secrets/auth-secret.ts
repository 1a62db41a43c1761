/** The Secrets for signing in (users, API tokens, device sign-ins) and the format of their values. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { dataOf, textAt } from '../../cluster/objects/secret-data.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'

export interface AuthSecret extends KubeObject {
  type?: string
  data?: Record<string, string>
}

/** The label by which a replica watches all of these Secrets with one watch, and no other Secret. */
export const authLabel = 'svc.dev/auth'
export type AuthPurpose = 'users' | 'token' | 'devices' | 'first-sign-in'

/** A Secret whose values are given in plain text. */
export function authSecret(
  name: string,
  purpose: AuthPurpose,
  values: Record<string, string>,
  extraLabels: Record<string, string> = {},
): AuthSecret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: systemNamespace,
      labels: { [labels.managedBy]: managedBySvc, [authLabel]: purpose, ...extraLabels },
    },
    type: 'Opaque',
    data: dataOf(values),
  }
}

/** The Secret with some values replaced. */
export function withValues(secret: AuthSecret, values: Record<string, string>): AuthSecret {
  return { ...secret, data: { ...secret.data, ...dataOf(values) } }
}

/** Parses one value as JSON. Its errors never repeat the value, which is a secret. */
export function jsonOf(secret: AuthSecret, key: string): unknown {
  try {
    return JSON.parse(textAt(secret, key) ?? 'null')
  } catch {
    throw new Error(`Secret ${secret.metadata.name} holds no JSON under ${key}`)
  }
}
