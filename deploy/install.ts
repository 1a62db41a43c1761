/** Installs svc's objects into a cluster, and writes a login for each of its processes; see `--help`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectCluster } from '../cluster/client.ts'
import { installInto } from '../one-machine/index.ts'
import { bindEnvironments } from '../records/projects/environment-bindings.ts'
import { loginAs, readKubeconfig, writeKubeconfig } from './login.ts'
import { installRoles } from './roles.ts'

const help = `Usage: node one-machine/boot.mjs deploy/install.ts --kubeconfig FILE [options]

Installs svc's resource definitions, its namespace svc-system and its roles. Safe to repeat; every upgrade does.

  --kubeconfig FILE   login of an account that may install them
  --server URL        where the cluster is reached from here, if not where the file says
  --logins DIR        also writes DIR/api/kubeconfig and DIR/worker/kubeconfig, logins with one role each, for a year
`

const processes = [
  ['api', 'svc-api'],
  ['worker', 'svc-worker'],
] as const

interface InstallOptions {
  readonly kubeconfig: string
  readonly server?: string
  readonly logins?: string
}

async function install({ kubeconfig, server, logins }: InstallOptions): Promise<void> {
  const admin = readKubeconfig(kubeconfig, server)
  const own = mkdtempSync(join(tmpdir(), 'svc-install-'))
  const file = join(own, 'kubeconfig')
  writeKubeconfig(file, admin)
  const client = connectCluster({ kubeconfig: file })
  try {
    await installInto(client)
    await installRoles(client)
    // For environments that are older than the bindings; workers of the previous version keep working with these.
    await bindEnvironments(client)
    console.log('the resource definitions, the namespace svc-system and the roles are installed')
    if (logins === undefined) return
    for (const [process, account] of processes)
      writeKubeconfig(join(logins, process, 'kubeconfig'), await loginAs(client, account, admin))
    console.log(`the logins of the api and the worker are in ${logins}`)
  } finally {
    await client.close()
    rmSync(own, { recursive: true, force: true })
  }
}

try {
  const options = {
    kubeconfig: { type: 'string' },
    server: { type: 'string' },
    logins: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { help: wantsHelp, kubeconfig, server, logins } = parseArgs({ options }).values
  if (wantsHelp === true) process.stdout.write(help)
  else if (kubeconfig === undefined) throw new Error('--kubeconfig is missing; --help tells more')
  else
    await install({
      kubeconfig,
      ...(server === undefined ? {} : { server }),
      ...(logins === undefined ? {} : { logins }),
    })
} catch (error) {
  console.error(`svc install: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
