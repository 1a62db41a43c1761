/**
 * Kubeconfigs made from an administrator's: the same cluster at another address, or with the login of one of svc's
 * processes.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import type { ClusterClient } from '../cluster/client.ts'
import { systemNamespace } from '../kinds/meta/group.ts'

const named = z.looseObject({ name: z.string() })
const kubeconfig = z.looseObject({
  'current-context': z.string(),
  clusters: z.array(named.extend({ cluster: z.looseObject({ server: z.string() }) })),
  contexts: z.array(named.extend({ context: z.looseObject({ cluster: z.string() }) })),
})
export type Kubeconfig = z.infer<typeof kubeconfig>

/** A year: every install gives a new one, and no Secret holds it that another process could read. */
const tokenSeconds = 365 * 86_400

/** Throws when the file is no kubeconfig. `server` replaces the address of its current cluster. */
export function readKubeconfig(path: string, server?: string): Kubeconfig {
  const config = kubeconfig.parse(parse(readFileSync(path, 'utf8')))
  if (server !== undefined) clusterOf(config).cluster.server = server
  return config
}

/** Readable only by its owner; replaced atomically, since a process may be reading the previous one. */
export function writeKubeconfig(path: string, config: object): void {
  mkdirSync(dirname(path), { recursive: true })
  const fresh = `${path}.${randomUUID()}`
  writeFileSync(fresh, stringify(config), { mode: 0o600 })
  renameSync(fresh, path)
}

/** A login as one of svc's service accounts, with exactly the rights of crds/rbac.yaml. */
export async function loginAs(client: ClusterClient, account: string, admin: Kubeconfig): Promise<object> {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: tokenSeconds },
  }
  const answer = await client.raw('POST', `/api/v1/namespaces/${systemNamespace}/serviceaccounts/${account}/token`, {
    body,
    contentType: 'application/json',
  })
  const { status } = z.object({ status: z.object({ token: z.string() }) }).parse(JSON.parse(answer))
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': account,
    clusters: [{ name: 'svc', cluster: clusterOf(admin).cluster }],
    users: [{ name: account, user: { token: status.token } }],
    contexts: [{ name: account, context: { cluster: 'svc', user: account, namespace: systemNamespace } }],
  }
}

function clusterOf(config: Kubeconfig): Kubeconfig['clusters'][number] {
  const context = config.contexts.find(({ name }) => name === config['current-context'])
  const cluster = config.clusters.find(({ name }) => name === context?.context.cluster)
  if (cluster === undefined)
    throw new Error(`the kubeconfig has no cluster for its context "${config['current-context']}"`)
  return cluster
}
