/** Brings our kinds, the roles and svc-system onto a fresh cluster. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'yaml'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/object.ts'
import { coreTypes } from '../../cluster/resource-type.ts'
import { systemNamespace } from '../../kinds/group.ts'

const folder = join(import.meta.dirname, '../../crds')
const manager = 'svc-test'

interface Definition extends KubeObject {
  status?: { conditions?: { type: string; status: string }[] }
}

export async function installCrds(client: ClusterClient): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.startsWith('svc') && file.endsWith('.yaml'))
  const definitions = await Promise.all(
    // The shape is checked by the server, which refuses anything else.
    files.map(async (file) => parse(await readFile(join(folder, file), 'utf8')) as Definition),
  )
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } }
  await client.apply(coreTypes.namespace, namespace, { manager })
  await Promise.all(definitions.map((definition) => install(client, definition)))
}

async function install(client: ClusterClient, definition: Definition): Promise<void> {
  const type = coreTypes.customResourceDefinition
  let seen = await client.apply<Definition>(type, definition, { manager })
  const deadline = Date.now() + 20_000
  while (seen.status?.conditions?.some((it) => it.type === 'Established' && it.status === 'True') !== true) {
    if (Date.now() > deadline) throw new Error(`${definition.metadata.name} was not established within 20 s`)
    await sleep(50)
    seen = (await client.get<Definition>({ type, name: definition.metadata.name })) ?? seen
  }
}
