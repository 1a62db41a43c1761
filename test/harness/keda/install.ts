/**
 * Installs the published definitions of KEDA and its HTTP add-on that services sleep by, from their Go modules, on the
 * cluster of the tests. Nothing scales or routes there: a test writes the number of copies itself.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClusterClient } from '../../../cluster/client.ts'
import { installCrds, parseCrds } from '../../../cluster/install-crds.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { eventually } from '../../cluster/eventually.ts'
import { goModuleFolder } from '../go-module.ts'

const published = [
  ['github.com/kedacore/http-add-on@v0.15.0', 'config/crd/bases/http.keda.sh_interceptorroutes.yaml'],
  ['github.com/kedacore/keda/v2@v2.21.0', 'config/crd/bases/keda.sh_scaledobjects.yaml'],
] as const
const waitMs = 30_000

/** Resolves when the cluster serves both kinds, with a function that removes them and every object of theirs. */
export async function installSleepKinds(client: ClusterClient): Promise<() => Promise<void>> {
  const names: string[] = []
  for (const [module, file] of published) {
    const folder = await goModuleFolder(module, import.meta.dirname)
    const definitions = parseCrds(await readFile(join(folder, file), 'utf8'))
    await installCrds(client, definitions)
    names.push(...definitions.map(({ metadata }) => metadata.name))
  }
  const refs = names.map((name) => ({ type: coreTypes.customResourceDefinition, name }))
  return async () => {
    for (const ref of refs) await client.delete(ref)
    for (const ref of refs)
      await eventually(`${ref.name} is gone`, async () => (await client.get(ref)) === undefined, waitMs)
  }
}
