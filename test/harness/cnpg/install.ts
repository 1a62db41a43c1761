/**
 * Installs CloudNativePG's own published definition of its Cluster, from its Go module, on the cluster of the tests.
 * Its controller is not installed: a test writes the status itself.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClusterClient } from '../../../cluster/client.ts'
import { installCrds, parseCrds } from '../../../cluster/install-crds.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { eventually } from '../../cluster/eventually.ts'
import { goModuleFolder } from '../go-module.ts'

const module = 'github.com/cloudnative-pg/cloudnative-pg@v1.25.0'
const definition = 'config/crd/bases/postgresql.cnpg.io_clusters.yaml'
const waitMs = 30_000

/** The folder of the operator's module, in which its published manifests are. */
export const operatorModule = (): Promise<string> => goModuleFolder(module, import.meta.dirname)

/** Resolves when the cluster serves the kind, with a function that removes it and every Cluster. */
export async function installOperatorKinds(client: ClusterClient): Promise<() => Promise<void>> {
  const definitions = parseCrds(await readFile(join(await operatorModule(), definition), 'utf8'))
  await installCrds(client, definitions)
  const ref = { type: coreTypes.customResourceDefinition, name: definitions[0]?.metadata.name ?? '' }
  return async () => {
    await client.delete(ref)
    await eventually('they are gone', async () => (await client.get(ref)) === undefined, waitMs)
  }
}
