/** The settings of a bucket, and of the object server of the cluster, as flags. */
import type { Command } from 'commander'
import type { ParamsInput } from '../../contract/operations.ts'
import { given } from '../session/flags.ts'

export interface SettingsFlags {
  bucket?: string
  connection?: string
  createBucket?: boolean
  region?: string
  cpu?: string
  memory?: string
}

export const withBucketFlags = (command: Command): Command =>
  command
    .option('--bucket <name>', 'name of the bucket')
    .option('--connection <name>', 'cloud connection of a remote bucket')
    .option('--create-bucket', 'make a remote bucket that does not exist')
    .option('--no-create-bucket', 'use a remote bucket that exists')

export const withRegionFlag = (command: Command, what: string): Command => command.option('--region <region>', `where ${what} is`)

export const withServerFlags = (command: Command, only = ''): Command =>
  command.option('--cpu <quantity>', `${only}CPU, such as 250m`).option('--memory <quantity>', `${only}memory, such as 512Mi`)

/** Only what was given. */
export const settingsOf = ({ bucket, connection, createBucket, region, cpu, memory }: SettingsFlags) =>
  given({ bucket, connectionRef: connection, createBucket, region, cpu, memory } satisfies Omit<ParamsInput<'object-stores.update'>, 'store'>)
