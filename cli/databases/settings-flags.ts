/** The settings of a database as flags, the same for a new one and for one that exists. */
import type { Command } from 'commander'
import type { ParamsInput } from '../../contract/operations.ts'
import { given, wholeNumber } from '../session/flags.ts'

export interface SettingsFlags {
  engineVersion?: string
  storage?: string
  cpu?: string
  memory?: string
  copies?: number
  backups?: boolean
  backupDays?: number
}

export function withSettingsFlags(command: Command): Command {
  return command
    .option('--engine-version <version>', 'version of the engine, such as 16')
    .option('--storage <size>', 'size of its volume, such as 10Gi')
    .option('--cpu <quantity>', 'CPU of a copy, such as 250m')
    .option('--memory <quantity>', 'memory of a copy, such as 512Mi')
    .option('--copies <count>', 'number of copies', wholeNumber)
    .option('--backups', 'keep backups')
    .option('--no-backups', 'keep no backups')
    .option('--backup-days <days>', 'for how many days backups are kept', wholeNumber)
}

/** Only what was given. */
export const settingsOf = ({ engineVersion, storage, cpu, memory, copies, backups, backupDays }: SettingsFlags) =>
  given({
    version: engineVersion,
    storageSize: storage,
    cpu,
    memory,
    clusterSize: copies,
    backups,
    backupRetentionDays: backupDays,
  } satisfies Omit<ParamsInput<'databases.update'>, 'db'>)
