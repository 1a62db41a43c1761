/** Asks before svc installs anything into a cluster that is not its own. */
import { createInterface } from 'node:readline/promises'
import { connectCluster } from '../cluster/client.ts'
import { loadConfig } from '../cluster/kubeconfig.ts'
import { listMissing, systemNamespace } from './install.ts'

/**
 * Resolves when svc may install its definitions and namespace: they are all there already, `yes` was given, or the user
 * says so. Rejects with one sentence otherwise, also where there is no terminal to ask on.
 */
export async function askToInstall(yes: boolean): Promise<void> {
  const config = loadConfig({})
  const client = connectCluster()
  const missing = await listMissing(client).finally(() => client.close())
  if (missing.length === 0 || yes) return
  const definitions = missing.filter(name => name !== systemNamespace).length
  const what = `${definitions} resource definitions of svc and the namespace ${systemNamespace}`
  const where = `the cluster ${config.getCurrentCluster()?.server} (context ${config.getCurrentContext()})`
  if (!process.stdin.isTTY) throw new Error(`svc needs ${what} in ${where}; start with --yes to install them`)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(`Install ${what} into ${where}? [y/N] `).finally(() => terminal.close())
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('nothing was installed')
}
