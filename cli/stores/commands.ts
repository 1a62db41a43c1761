/** `svc stores`: buckets of projects, and the object server of the cluster, which holds them. */
import { Command } from 'commander'
import type { ParamsInput } from '../../contract/operations.ts'
import {
  createRecord,
  deployAtOnceFlag,
  deploys,
  waitForCreationFlag,
  type DeployFlags,
} from '../records/create-record.ts'
import { waitForRecordFlag } from '../records/follow-record.ts'
import { storeKind } from '../records/record-kinds.ts'
import {
  backupVerb,
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
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'
import { defined } from '../../contract/defined.ts'

export function storeCommands(cli: Cli): Command {
  const stores = new Command('stores').aliases(['store', 'buckets', 'bucket']).description('work with buckets')
  stores
    .addCommand(listVerb(storeKind, cli))
    .addCommand(getVerb(storeKind, cli))
    .addCommand(create(cli))
    .addCommand(createServer(cli))
    .addCommand(set(cli))
    .addCommand(backupVerb(storeKind, cli))
    .addCommand(restore(cli))
  for (const verb of [deployVerb, discardVerb, retryVerb, deleteVerb]) stores.addCommand(verb(storeKind, cli))
  return stores
}

function create(cli: Cli): Command {
  const command = new Command('create')
    .description('create a bucket as a draft; --deploy makes it at once')
    .argument('[name]', 'name of the bucket; the service picks one if left out')
    .option('--remote', 'a bucket at a cloud provider instead of on the object server of the cluster')
  return withRegionFlag(withBucketFlags(command), 'a remote bucket')
    .option('--backups', 'keep backups of it, on the object server of the cluster')
    .option(...backupDaysFlag)
    .option(...deployAtOnceFlag)
    .option(...waitForCreationFlag)
    .option(...timeoutFlag)
    .action(
      async (name: string | undefined, flags: DeployFlags & SettingsFlags & { remote?: true }, called: Command) => {
        const session = await openSession(cli, called)
        await createRecord(session, storeKind, { ...flags, drafts: true }, async (client) => {
          const placement = flags.remote === true ? ('External' as const) : undefined
          const fields = defined({ name, placement, ...settingsOf(flags), deploy: deploys(flags) || undefined })
          return await client.call(
            'object-stores.create',
            { ...(await findPlace(session, client)), ...fields },
            { signal: session.signal },
          )
        })
      },
    )
}

function createServer(cli: Cli): Command {
  const command = new Command('create-server')
    .description('create the object server of the cluster, which buckets of all projects lie on')
    .argument('[label]', 'readable name')
  return withServerFlags(withRegionFlag(command, 'it'))
    .option(...waitForRecordFlag)
    .option(...timeoutFlag)
    .action(async (name: string | undefined, flags: WaitFlags & SettingsFlags, called: Command) => {
      const session = await openSession(cli, called)
      await createRecord(session, storeKind, { ...flags, drafts: false }, async (client) => {
        return await client.call('object-stores.create', defined({ name, ...settingsOf(flags) }), {
          signal: session.signal,
        })
      })
    })
}

/** Settings of a bucket take effect with its deploy, those of the object server at once. */
function set(cli: Cli): Command {
  const command = new Command('set')
    .description('change settings of a bucket, or of the object server')
    .argument('<store>', 'name of the bucket')
  return withServerFlags(
    withRegionFlag(withBucketFlags(command), 'a remote bucket, or the object server,'),
    'of the object server: ',
  )
    .option('--backups', 'keep backups; applies at once')
    .option('--no-backups', 'keep no backups')
    .option(...backupDaysFlag)
    .option(...deployChangeFlag)
    .option(...waitForCreationFlag)
    .option(...timeoutFlag)
    .action(async (store: string, flags: DeployFlags & SettingsFlags, called: Command) => {
      const session = await openSession(cli, called)
      const fields = settingsOf(flags)
      const save = { ...flags, name: store, fields }
      await saveRecord(
        session,
        storeKind,
        save,
        async (client) => await client.call('object-stores.update', { store, ...fields }, { signal: session.signal }),
      )
    })
}

function restore(cli: Cli): Command {
  return new Command('restore')
    .description('restore a backup into a new bucket, which gets keys of its own')
    .argument('<archive>', 'name of the backup')
    .option(...waitForRecordFlag)
    .option(...timeoutFlag)
    .action(async (archive: string, flags: WaitFlags, called: Command) => {
      const session = await openSession(cli, called)
      await createRecord(
        session,
        storeKind,
        { ...flags, deploy: true, drafts: true },
        async (client) => await client.call('object-stores.restore', { archive }, { signal: session.signal }),
      )
    })
}

const backupDaysFlag = ['--backup-days <days>', 'for how many days backups are kept', wholeNumber] as const

interface SettingsFlags {
  bucket?: string
  connection?: string
  createBucket?: boolean
  region?: string
  cpu?: string
  memory?: string
  runOnTags?: string[]
  backups?: boolean
  backupDays?: number
}

const withBucketFlags = (command: Command): Command =>
  command
    .option('--bucket <name>', 'name of the bucket')
    .option('--connection <name>', 'cloud connection of a remote bucket')
    .option('--create-bucket', 'make a remote bucket that does not exist')
    .option('--no-create-bucket', 'use a remote bucket that exists')

const withRegionFlag = (command: Command, what: string): Command =>
  command.option('--region <region>', `where ${what} is`)

const withServerFlags = (command: Command, only = ''): Command =>
  command
    .option('--cpu <quantity>', `${only}CPU, such as 250m`)
    .option('--memory <quantity>', `${only}memory, such as 512Mi`)
    .option('--run-on-tags <values...>', `${only}tags of the nodes it may run on`)

/** Only the given flags. */
const settingsOf = ({ connection, backupDays, ...flags }: SettingsFlags) => {
  const { bucket, createBucket, region, cpu, memory, runOnTags, backups } = flags
  const sizes = { cpu, memory, runOnTags }
  const kept = { backups, backupRetentionDays: backupDays }
  return defined({ bucket, connectionRef: connection, createBucket, region, ...sizes, ...kept } satisfies Omit<
    ParamsInput<'object-stores.update'>,
    'store'
  >)
}
