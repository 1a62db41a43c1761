/** Installs custom resource definitions and waits until the server serves them. */
import { parseAllDocuments } from 'yaml'
import { pause } from './objects/backoff.ts'
import type { ClusterClient } from './objects/cluster-client.ts'
import type { KubeObject } from './objects/object.ts'
import { coreTypes } from './objects/resource-type.ts'
import { defined } from '../contract/defined.ts'

interface Definition extends KubeObject {
  status?: { conditions?: { type: string; status: string; message?: string }[] }
}

export interface InstallOptions {
  /** Field manager of the server-side apply; 'svc' unless given. */
  manager?: string
  timeoutMs?: number
  signal?: AbortSignal
}

const lookEveryMs = 50

/** The definitions in YAML text, of one or many documents; other kinds are left out. Throws on text that is no YAML. */
export function parseCrds(yaml: string): KubeObject[] {
  return parseAllDocuments(yaml).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0]
    const object: unknown = document.toJS()
    return isDefinition(object) ? [object] : []
  })
}

/**
 * Applies all, then waits until each is Established. Throws when a name is taken by another definition or the time (30
 * s) is up.
 */
export async function installCrds(
  client: ClusterClient,
  definitions: readonly KubeObject[],
  options: InstallOptions = {},
): Promise<void> {
  const { manager = 'svc', timeoutMs = 30_000, signal } = options
  const deadline = performance.now() + timeoutMs
  const call = defined({ signal })
  const type = coreTypes.customResourceDefinition
  await Promise.all(definitions.map((definition) => client.apply(type, definition, { ...call, manager, force: true })))
  await Promise.all(
    definitions.map(async ({ metadata: { name } }) => {
      while (!isEstablished(await client.get<Definition>({ type, name }, call))) {
        signal?.throwIfAborted()
        if (performance.now() > deadline) throw new Error(`${name} was not established within ${timeoutMs} ms`)
        await pause(lookEveryMs, signal)
      }
    }),
  )
}

function isEstablished(definition: Definition | undefined): boolean {
  const conditions = definition?.status?.conditions ?? []
  const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False')
  if (refused !== undefined)
    throw new Error(`${definition?.metadata.name} cannot be installed: ${refused.message ?? 'its names are taken'}`)
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True')
}

function isDefinition(object: unknown): object is KubeObject {
  return typeof object === 'object' && object !== null && 'kind' in object && object.kind === 'CustomResourceDefinition'
}
