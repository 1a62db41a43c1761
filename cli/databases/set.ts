/** `svc databases set`: settings of a database; backups apply at once, the others with its next deploy. */
import { Command } from 'commander'
import { waitForCreationFlag, type DeployFlags } from '../records/create-record.ts'
import { databaseKind } from '../records/record-kinds.ts'
import { deployChangeFlag, saveRecord } from '../records/save-record.ts'
import { openSession, type Cli } from '../session/session.ts'
import { timeoutFlag } from '../wait/follow.ts'
import { settingsOf, withSettingsFlags, type SettingsFlags } from './settings-flags.ts'

export function set(cli: Cli): Command {
  const command = new Command('set').description('change settings of a database').argument('<database>', 'name of the database')
  return withSettingsFlags(command)
    .option(...deployChangeFlag)
    .option(...waitForCreationFlag)
    .option(...timeoutFlag)
    .action(async (db: string, flags: DeployFlags & SettingsFlags, called: Command) => {
      const session = await openSession(cli, called)
      const fields = settingsOf(flags)
      const save = { ...flags, name: db, fields }
      await saveRecord(session, databaseKind, save, async (client) => await client.call('databases.update', { db, ...fields }, { signal: session.signal }))
    })
}
