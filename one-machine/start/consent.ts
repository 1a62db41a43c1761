/** Confirmations: for an install into a cluster that is not svc's own, and for the sample of a first start. */
import { createInterface } from 'node:readline/promises'
import { loadConfig } from '../../cluster/http/kubeconfig.ts'
import { listMissing, systemNamespace } from '../install.ts'
import { withCluster } from '../cluster.ts'

/**
 * Resolves when svc may install its definitions and namespace: they all exist already, `yes` was given, or the user
 * agrees. Rejects with one sentence otherwise, also without a terminal.
 */
export async function askToInstall(yes: boolean): Promise<void> {
  const config = loadConfig({})
  const server = config.getCurrentCluster()?.server
  const missing = await withCluster(undefined, listMissing).catch((error: unknown) => {
    throw new Error(
      `the cluster ${server} does not let svc look at it: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  })
  if (missing.length === 0 || yes) return
  const definitions = missing.filter((name) => name !== systemNamespace).length
  const what = `${definitions} resource definitions of svc and the namespace ${systemNamespace}`
  const where = `the cluster ${server} (context ${config.getCurrentContext()})`
  if (!process.stdin.isTTY) throw new Error(`svc needs ${what} in ${where}; start with --yes to install them`)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(`Install ${what} into ${where}? [y/N] `).finally(() => terminal.close())
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('nothing was installed')
}

/** Asks at a first start on a terminal; elsewhere `--demo` decides. */
export async function wantsSample(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question('Deploy a sample service? [Y/n] ').finally(() => terminal.close())
  return !/^n/i.test(answer.trim())
}
