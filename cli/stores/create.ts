/** `svc stores create`: a bucket of a project; `create-server`: the object server that buckets of all projects lie on. */
import { Command } from 'commander'
import { createRecord, deployAtOnceFlag, deploys, waitForCreationFlag, type DeployFlags } from '../records/create-record.ts'
import { waitForRecordFlag } from '../records/follow-record.ts'
import { storeKind } from '../records/record-kinds.ts'
import { given } from '../session/flags.ts'
import { findPlace } from '../session/place.ts'
import { openSession, type Cli } from '../session/session.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'
import { settingsOf, withBucketFlags, withRegionFlag, withServerFlags, type SettingsFlags } from './settings-flags.ts'

export function create(cli: Cli): Command {
  const command = new Command('create')
    .description('create a bucket as a draft; --deploy makes it at once')
    .argument('[name]', 'name of the bucket; the service picks one if left out')
    .option('--remote', 'a bucket at a cloud provider instead of on the object server of the cluster')
  return withRegionFlag(withBucketFlags(command), 'a remote bucket')
    .option(...deployAtOnceFlag)
    .option(...waitForCreationFlag)
    .option(...timeoutFlag)
    .action(async (name: string | undefined, flags: DeployFlags & SettingsFlags & { remote?: true }, called: Command) => {
      const session = await openSession(cli, called)
      await createRecord(session, storeKind, { ...flags, drafts: true }, async (client) => {
        const placement = flags.remote === true ? ('External' as const) : undefined
        const fields = given({ name, placement, ...settingsOf(flags), deploy: deploys(flags) || undefined })
        return await client.call('object-stores.create', { ...(await findPlace(session, client)), ...fields }, { signal: session.signal })
      })
    })
}

export function createServer(cli: Cli): Command {
  const command = new Command('create-server')
    .description('create the object server of the cluster, which buckets of all projects lie on')
    .argument('[label]', 'readable name')
  return withServerFlags(withRegionFlag(command, 'it'))
    .option(...waitForRecordFlag)
    .option(...timeoutFlag)
    .action(async (name: string | undefined, flags: WaitFlags & SettingsFlags, called: Command) => {
      const session = await openSession(cli, called)
      await createRecord(session, storeKind, { ...flags, drafts: false }, async (client) => {
        return await client.call('object-stores.create', given({ name, ...settingsOf(flags) }), { signal: session.signal })
      })
    })
}
