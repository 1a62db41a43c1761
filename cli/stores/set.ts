/** `svc stores set`: settings of a bucket, which wait for its deploy, or of the object server, which apply at once. */
import { Command } from 'commander'
import { waitForCreationFlag, type DeployFlags } from '../records/create-record.ts'
import { storeKind } from '../records/record-kinds.ts'
import { deployChangeFlag, saveRecord } from '../records/save-record.ts'
import { openSession, type Cli } from '../session/session.ts'
import { timeoutFlag } from '../wait/follow.ts'
import { settingsOf, withBucketFlags, withRegionFlag, withServerFlags, type SettingsFlags } from './settings-flags.ts'

export function set(cli: Cli): Command {
  const command = new Command('set').description('change settings of a bucket, or of the object server').argument('<store>', 'name of the bucket')
  return withServerFlags(withRegionFlag(withBucketFlags(command), 'a remote bucket, or the object server,'), 'of the object server: ')
    .option(...deployChangeFlag)
    .option(...waitForCreationFlag)
    .option(...timeoutFlag)
    .action(async (store: string, flags: DeployFlags & SettingsFlags, called: Command) => {
      const session = await openSession(cli, called)
      const fields = settingsOf(flags)
      const save = { ...flags, name: store, fields }
      await saveRecord(session, storeKind, save, async (client) => await client.call('object-stores.update', { store, ...fields }, { signal: session.signal }))
    })
}
