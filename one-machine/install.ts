/** What svc needs in a cluster before it can serve: its resource definitions and its namespace. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ClusterClient } from '../cluster/client.ts'
import { installCrds, parseCrds } from '../cluster/install-crds.ts'
import type { KubeObject } from '../cluster/objects/object.ts'
import { coreTypes } from '../cluster/objects/resource-type.ts'
import { buildsNamespaceManifest } from '../kinds/builds/names.ts'

export const systemNamespace = 'svc-system'
const manager = 'svc-local'

/** Roles and their limits, for installs whose processes have their own logins. */
const confinement = ['rbac.yaml', 'admission.yaml', 'network.yaml']

/** The generated definitions in crds/. */
export function readDefinitions(): KubeObject[] {
  const folder = fileURLToPath(new URL('../crds', import.meta.url))
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml') && !confinement.includes(file))
  return files.flatMap((file) => parseCrds(readFileSync(join(folder, file), 'utf8')))
}

/** Names of the definitions and of the namespace that the cluster does not have yet. */
export async function listMissing(client: ClusterClient): Promise<string[]> {
  const refs = [
    { type: coreTypes.namespace, name: systemNamespace },
    { type: coreTypes.namespace, name: buildsNamespaceManifest.metadata.name },
    ...readDefinitions().map(({ metadata: { name } }) => ({ type: coreTypes.customResourceDefinition, name })),
  ]
  const found = await Promise.all(refs.map((ref) => client.get(ref)))
  return refs.filter((_, index) => found[index] === undefined).map((ref) => ref.name)
}

interface Definition extends KubeObject {
  status?: { conditions?: { type: string; status: string }[] }
}

function isStuck({ status }: Definition): boolean {
  const has = (type: string): boolean =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false
  return has('NamesAccepted') && !has('Established')
}

/**
 * An api server that is killed between accepting a definition's names and establishing it never resumes that: only a
 * change of the object queues it again, and applying the same text is no change.
 */
async function wakeStuck(client: ClusterClient, now: () => Date): Promise<void> {
  const type = coreTypes.customResourceDefinition
  const found = await Promise.all(
    readDefinitions().map(({ metadata: { name } }) => client.get<Definition>({ type, name })),
  )
  const stuck = found.filter((definition): definition is Definition => definition !== undefined && isStuck(definition))
  const annotations = { 'svc.dev/woken-at': now().toISOString() }
  await Promise.all(stuck.map(({ metadata: { name } }) => client.patch({ type, name }, { metadata: { annotations } })))
}

/** Applies the namespace and the definitions and waits until the cluster serves them. Safe to repeat. */
export async function installInto(client: ClusterClient): Promise<void> {
  const namespace = { metadata: { name: systemNamespace, labels: { 'svc.dev/managed-by': 'svc' } } }
  await wakeStuck(client, () => new Date())
  await Promise.all([
    client.apply(coreTypes.namespace, namespace, { manager, force: true }),
    client.apply(coreTypes.namespace, buildsNamespaceManifest, { manager, force: true }),
    installCrds(client, readDefinitions(), { manager }),
  ])
}
