/** `svc databases create`: a draft, or with `--deploy` a database that is made at once; `create-server`: the one that projects share. */
import { Command, Option } from 'commander'
import { createRecord, deployAtOnceFlag, deploys, waitForCreationFlag, type DeployFlags } from '../records/create-record.ts'
import { databaseKind } from '../records/record-kinds.ts'
import { given } from '../session/flags.ts'
import { findPlace } from '../session/place.ts'
import { openSession, type Cli } from '../session/session.ts'
import { timeoutFlag } from '../wait/follow.ts'
import { settingsOf, withSettingsFlags, type SettingsFlags } from './settings-flags.ts'

const engines = ['postgres', 'mysql', 'redis', 'sqlite'] as const

interface CreateFlags extends DeployFlags, SettingsFlags {
  engine?: (typeof engines)[number]
  ha?: boolean
  region?: string
}

export function create(cli: Cli): Command {
  const command = new Command('create')
    .description('create a database as a draft; --deploy makes it at once')
    .argument('[name]', 'name of the database; the service picks one if left out')
  return withCreateFlags(command, engines)
    .option('--ha', 'keep it available when a node is lost')
    .action(async (name: string | undefined, flags: CreateFlags, called: Command) => await run(cli, called, name, flags, findPlace))
}

export function createServer(cli: Cli): Command {
  const command = new Command('create-server')
    .description('create the postgres or mysql server of the cluster, which logical databases of all projects may use')
    .argument('[label]', 'readable name')
  return withCreateFlags(command, engines.slice(0, 2))
    .option('--region <region>', 'where it runs')
    .action(async (name: string | undefined, flags: CreateFlags, called: Command) => await run(cli, called, name, flags, async () => ({})))
}

const withCreateFlags = (command: Command, choices: readonly string[]): Command =>
  withSettingsFlags(command.addOption(new Option('--engine <engine>', 'what it is (postgres)').choices(choices)))
    .option(...deployAtOnceFlag)
    .option(...waitForCreationFlag)
    .option(...timeoutFlag)

type Place = { project: string; environment: string } | Record<string, never>

async function run(cli: Cli, command: Command, name: string | undefined, flags: CreateFlags, placeOf: (...of: Parameters<typeof findPlace>) => Promise<Place>) {
  const session = await openSession(cli, command)
  const { engine, ha, region } = flags
  await createRecord(session, databaseKind, { ...flags, drafts: true }, async (client) => {
    const fields = given({ name, engine, highAvailability: ha, region, ...settingsOf(flags), deploy: deploys(flags) || undefined })
    return await client.call('databases.create', { ...(await placeOf(session, client)), ...fields }, { signal: session.signal })
  })
}
