/** `svc databases`: databases of projects, the server of the cluster that projects share, and their settings. */
import { Command, Option } from 'commander'
import { databaseEngines, sqlEngines } from '../../contract/fields/words.ts'
import type { ParamsInput } from '../../contract/operations.ts'
import {
  createRecord,
  deployAtOnceFlag,
  deploys,
  waitForCreationFlag,
  type DeployFlags,
} from '../records/create-record.ts'
import { databaseKind } from '../records/record-kinds.ts'
import {
  connectionVerb,
  deleteVerb,
  deployVerb,
  discardVerb,
  getVerb,
  listVerb,
  retryVerb,
} from '../records/record-verbs.ts'
import { deployChangeFlag, saveRecord } from '../records/save-record.ts'
import { wholeNumber } from '../session/flags.ts'
import { findPlace } from '../session/place.ts'
import { openSession, type Cli } from '../session/session.ts'
import { timeoutFlag } from '../wait/follow.ts'
import { backupCommands } from './backups.ts'
import { connect, setLogin } from './connect.ts'
import { query } from './query.ts'
import { defined } from '../../contract/defined.ts'

export function databaseCommands(cli: Cli): Command {
  const databases = new Command('databases').aliases(['database', 'db']).description('work with databases')
  databases
    .addCommand(listVerb(databaseKind, cli))
    .addCommand(getVerb(databaseKind, cli))
    .addCommand(create(cli))
    .addCommand(createServer(cli))
    .addCommand(connect(cli))
    .addCommand(setLogin(cli))
    .addCommand(set(cli))
  for (const verb of [deployVerb, discardVerb, retryVerb, deleteVerb, connectionVerb])
    databases.addCommand(verb(databaseKind, cli))
  for (const command of backupCommands(cli)) databases.addCommand(command)
  return databases.addCommand(query(cli))
}

interface CreateFlags extends DeployFlags, SettingsFlags {
  engine?: (typeof databaseEngines)[number]
  ha?: boolean
  region?: string
}

function create(cli: Cli): Command {
  const command = new Command('create')
    .description('create a database as a draft; --deploy makes it at once')
    .argument('[name]', 'name of the database; the service picks one if left out')
  return withCreateFlags(command, databaseEngines)
    .option('--ha', 'keep it available when a node is lost')
    .action(
      async (name: string | undefined, flags: CreateFlags, called: Command) =>
        await runCreate(cli, called, name, flags, findPlace),
    )
}

function createServer(cli: Cli): Command {
  const command = new Command('create-server')
    .description('create the postgres or mysql server of the cluster, which logical databases of all projects may use')
    .argument('[label]', 'readable name')
  return withCreateFlags(command, sqlEngines)
    .option('--region <region>', 'where it runs')
    .action(
      async (name: string | undefined, flags: CreateFlags, called: Command) =>
        await runCreate(cli, called, name, flags, async () => ({})),
    )
}

const withCreateFlags = (command: Command, choices: readonly string[]): Command =>
  withSettingsFlags(command.addOption(new Option('--engine <engine>', 'what it is (postgres)').choices(choices)))
    .option(...deployAtOnceFlag)
    .option(...waitForCreationFlag)
    .option(...timeoutFlag)

type Place = { project: string; environment: string } | Record<string, never>

async function runCreate(
  cli: Cli,
  command: Command,
  name: string | undefined,
  flags: CreateFlags,
  placeOf: (...of: Parameters<typeof findPlace>) => Promise<Place>,
) {
  const session = await openSession(cli, command)
  const { engine, ha, region } = flags
  await createRecord(session, databaseKind, { ...flags, drafts: true }, async (client) => {
    const fields = defined({
      name,
      engine,
      highAvailability: ha,
      region,
      ...settingsOf(flags),
      deploy: deploys(flags) || undefined,
    })
    return await client.call(
      'databases.create',
      { ...(await placeOf(session, client)), ...fields },
      { signal: session.signal },
    )
  })
}

/** Backups apply at once, the other settings with the next deploy. */
function set(cli: Cli): Command {
  const command = new Command('set')
    .description('change settings of a database')
    .argument('<database>', 'name of the database')
  return withSettingsFlags(command)
    .option(...deployChangeFlag)
    .option(...waitForCreationFlag)
    .option(...timeoutFlag)
    .action(async (db: string, flags: DeployFlags & SettingsFlags, called: Command) => {
      const session = await openSession(cli, called)
      const fields = settingsOf(flags)
      const save = { ...flags, name: db, fields }
      await saveRecord(
        session,
        databaseKind,
        save,
        async (client) => await client.call('databases.update', { db, ...fields }, { signal: session.signal }),
      )
    })
}

interface SettingsFlags {
  engineVersion?: string
  storage?: string
  cpu?: string
  memory?: string
  copies?: number
  backups?: boolean
  backupDays?: number
  runOnTags?: string[]
}

function withSettingsFlags(command: Command): Command {
  return command
    .option('--engine-version <version>', 'version of the engine, such as 16')
    .option('--storage <size>', 'size of its volume, such as 10Gi')
    .option('--cpu <quantity>', 'CPU of a copy, such as 250m')
    .option('--memory <quantity>', 'memory of a copy, such as 512Mi')
    .option('--copies <count>', 'number of copies', wholeNumber)
    .option('--backups', 'keep backups')
    .option('--no-backups', 'keep no backups')
    .option('--backup-days <days>', 'for how many days backups are kept', wholeNumber)
    .option('--run-on-tags <values...>', 'tags of the nodes it may run on')
}

/** Only the given flags. */
const settingsOf = ({ engineVersion, storage, cpu, memory, copies, backups, backupDays, runOnTags }: SettingsFlags) =>
  defined({
    version: engineVersion,
    storageSize: storage,
    cpu,
    memory,
    clusterSize: copies,
    backups,
    backupRetentionDays: backupDays,
    runOnTags,
  } satisfies Omit<ParamsInput<'databases.update'>, 'db'>)
