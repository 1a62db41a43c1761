/**
 * Installs CloudNativePG's own published definition of its Cluster, from its Go module, on the cluster of the tests.
 * Its controller is not installed: a test writes the status itself.
 */
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ClusterClient } from '../../../cluster/client.ts'
import { installCrds, parseCrds } from '../../../cluster/install-crds.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { eventually } from '../../cluster/eventually.ts'

const run = promisify(execFile)
const module = 'github.com/cloudnative-pg/cloudnative-pg@v1.25.0'
const definition = 'config/crd/bases/postgresql.cnpg.io_clusters.yaml'
const patienceMs = 30_000

/** Resolves when the cluster serves the kind, with a function that removes it and every Cluster. */
export async function installOperatorKinds(client: ClusterClient): Promise<() => Promise<void>> {
  const definitions = parseCrds(await readFile(join(await moduleFolder(), definition), 'utf8'))
  await installCrds(client, definitions)
  const ref = { type: coreTypes.customResourceDefinition, name: definitions[0]?.metadata.name ?? '' }
  return async () => {
    await client.delete(ref)
    await eventually('they are gone', async () => (await client.get(ref)) === undefined, patienceMs)
  }
}

/** The folder of the module in Go's module cache; go.sum beside this file verifies it. */
async function moduleFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-cnpg-'))
  try {
    for (const file of ['go.mod', 'go.sum']) await copyFile(join(import.meta.dirname, file), join(folder, file))
    const env = { ...process.env, GOWORK: 'off', GOFLAGS: '-mod=mod' }
    const { stdout } = await run('go', ['mod', 'download', '-json', module], { cwd: folder, env })
    return (JSON.parse(stdout) as { Dir: string }).Dir
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
