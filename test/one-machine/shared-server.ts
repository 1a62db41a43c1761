/**
 * Logical databases on the shared server of a real node: the Jobs run, and a login has access only to its own database.
 * Part of the test of `npm start`.
 */
import { expect } from 'chai'
import type { Client } from '../../client/client.ts'
import { ApiError } from '../../client/api-error.ts'
import { eventually } from '../cluster/eventually.ts'

export interface NodeWorld {
  client: Client
  project: string
}

/** Images may have to be made and servers started on the same machine at the same time. */
const madeWithinMs = 900_000
const waitMs = 120_000
const environment = 'production'

/** Registers the tests; `world` is called when they run. */
export function describeSharedServer(world: () => NodeWorld): void {
  for (const engine of ['postgres', 'mysql'] as const) {
    const stand = engine === 'mysql' ? ' (MariaDB stands in for it where no registry can be reached)' : ''
    describe(`logical databases on the shared ${engine} server${stand}`, function () {
      this.timeout(madeWithinMs)
      const names = [`own-${engine}`, `other-${engine}`] as const
      const service = `prober-${engine}`

      it('are made by Jobs, and let a login into its own database alone', async () => {
        const { client, project } = world()
        const { name: server } = await client.call('databases.create', {
          engine,
          storageSize: '1Gi',
          cpu: '200m',
          deploy: true,
        })
        for (const name of names)
          await client.call('logical-databases.create', {
            name,
            project,
            environment,
            server,
            database: name.replace('-', '_'),
          })
        for (const name of names) await untilReady(client, name)
        const { status } = await client.call('logical-databases.get', { logicalDatabase: names[1] })
        await client.call('apps.create', {
          project,
          environment,
          name: service,
          image: engine === 'postgres' ? 'postgres:16' : 'mysql:8.4',
          cpu: '50m',
        })
        await client.call('apps.attach', { app: service, name: names[0], kind: 'database' })
        // A deleted pod keeps its capacity until its processes have ended.
        await onceThereIsCapacity(() =>
          client.call('apps.update', {
            app: service,
            command: ['sh', '-c', probe(engine, String(status['database']))],
            deploy: true,
          }),
        )
        await eventually(
          'its own database is open',
          async () => (await said(client, service)).includes('own=open'),
          waitMs,
        )
        const refused =
          engine === 'postgres' ? /^other=.*(permission denied|CONNECT privilege)/ : /^other=.*Access denied/
        await eventually(
          'the other is refused',
          async () => (await said(client, service)).some((line) => refused.test(line)),
          waitMs,
        )
        expect((await said(client, service)).filter((line) => line === 'other=1')).to.deep.equal([])
      })

      it('are dropped by a Job when they are deleted, and let the server go', async () => {
        const { client } = world()
        await client.call('logical-databases.delete', { logicalDatabase: names[0], confirmName: names[0] })
        await eventually('it is gone', () => isGone(client, names[0]), waitMs)
        await eventually(
          'its login is refused',
          async () => (await said(client, service)).at(-1) === 'own=closed',
          waitMs,
        )
        // A small machine has no capacity for another one beside it.
        await client.call('apps.delete', { app: service, confirmName: service })
        await client.call('logical-databases.delete', { logicalDatabase: names[1], confirmName: names[1] })
        await eventually('the other is gone, too', () => isGone(client, names[1]), waitMs)
        await client.call('databases.delete', { db: `shared-${engine}`, confirmName: `shared-${engine}` })
        await eventually(
          'the server is gone',
          async () => (await client.call('databases.list', {})).items.every(({ name }) => name !== `shared-${engine}`),
          waitMs,
        )
      })
    })
  }
}

async function untilReady(client: Client, logicalDatabase: string): Promise<void> {
  let last = ''
  const ready = async () => {
    const { state, message } = (await client.call('logical-databases.get', { logicalDatabase })).resource
    last = `${state}: ${message}`
    return state === 'ready'
  }
  await eventually(`${logicalDatabase} is ready`, ready, madeWithinMs).catch((error: unknown) => {
    throw new Error(`${logicalDatabase} is ${last}`, { cause: error })
  })
}

async function onceThereIsCapacity(deploy: () => Promise<unknown>): Promise<void> {
  const deployed = async () => {
    try {
      await deploy()
      return true
    } catch (error) {
      if (error instanceof ApiError && error.message.startsWith('the cluster has no capacity')) return false
      throw error
    }
  }
  await eventually('there is capacity on the node', deployed, waitMs)
}

async function isGone(client: Client, logicalDatabase: string): Promise<boolean> {
  try {
    await client.call('logical-databases.get', { logicalDatabase })
    return false
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return true
    throw error
  }
}

const said = async (client: Client, app: string): Promise<string[]> =>
  (await client.call('apps.logs', { app })).lines.map(({ line }) => line)

/** Queries its own database and the other one repeatedly, as a service whose pod has only its attached reference. */
function probe(engine: 'postgres' | 'mysql', other: string): string {
  const ask = {
    postgres: 'ask() { psql "$1" -Atc "SELECT 1"; }',
    // mysql://login:password@host:port/database
    mysql: `ask() {
  rest=\${1#mysql://}; login=\${rest%%:*}; rest=\${rest#*:}; password=\${rest%%@*}; rest=\${rest#*@}; host=\${rest%%:*}; rest=\${rest#*:}
  MYSQL_PWD=$password mysql --no-defaults --protocol=TCP -h "$host" -P "\${rest%%/*}" -u "$login" --batch --skip-column-names -e "SELECT 1" "\${rest#*/}"
}`,
  }[engine]
  return `${ask}
while :; do
  echo "other=$(ask "\${DATABASE_URL%/*}/${other}" 2>&1 | tail -1)"
  if ask "$DATABASE_URL" >/dev/null 2>&1; then echo own=open; else echo own=closed; fi
  sleep 2
done`
}
