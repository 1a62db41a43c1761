/** `--wait` of a database, logical database or bucket: shows it until it is ready, has failed, or is gone. */
import type { Client } from '../../client/client.ts'
import type { Change } from '../../client/wait/changes.ts'
import { waitForRecord, type RecordView } from '../../client/wait/record.ts'
import { recordText } from '../output/resource-text.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import type { Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { follow, reportEnd, type WaitFlags, type Work } from '../wait/follow.ts'
import type { RecordKind } from './record-kinds.ts'
import { defined } from '../../contract/defined.ts'

export const waitForRecordFlag = ['--wait', 'wait until it is ready or has failed'] as const

/** The operation that is waited for. */
interface RecordWork {
  name: string
  noun: 'deploy' | 'creation'
  timeoutMs: number
  /** The record as it was before the request. */
  before?: RecordView
}

/**
 * Performs `act`, which requests the operation, and waits for its end. The record is read
 * before, so that the end of an earlier operation does not count as the end of this one.
 * @throws CliError `deployFailed`, `timedOut`, or `error` when interrupted; the operation goes on in the last two.
 */
export async function actAndFollowRecord(
  session: Session,
  client: Client,
  kind: RecordKind,
  { name, noun, timeout }: Pick<RecordWork, 'name' | 'noun'> & WaitFlags,
  act: () => Promise<unknown>,
): Promise<void> {
  const timeoutMs = await parseDurationMs('--timeout', timeout)
  const before = await kind.read(client, name, session.signal)
  await act()
  await followRecord(session, client, kind, { name, noun, timeoutMs, before })
}

/** Anything that is deleted: how it is read and watched, and the command that shows it. */
interface Gone extends Pick<Work<RecordView>, 'name' | 'look' | 'timeoutMs' | 'concerns'> {
  read: (signal: AbortSignal) => Promise<RecordView>
}

/**
 * Performs `act`, which requests a deletion, and waits until what `read` reads is gone; prints the answer of `act` with
 * `--json`. @throws CliError `timedOut`, or `error` when interrupted; the deletion goes on in both.
 */
export async function actAndFollowDeletion(
  session: Session,
  client: Client,
  { read, ...gone }: Gone,
  act: () => Promise<unknown>,
): Promise<void> {
  const before = await read(session.signal)
  const view = await act()
  const work: Work<RecordView | undefined> = {
    ...gone,
    noun: 'deletion',
    goal: 'gone',
    textOf: recordText,
    wait: async (poll) => await waitForRecord({ read, goal: 'gone', before, ...poll }),
  }
  const { elapsedMs, status } = await follow(session, client, work)
  reportEnd(session, work, elapsedMs)
  // What is gone has no status, so the answer to the deletion is the output.
  if (session.flags.json === true && status === undefined) session.terminal.json(view)
}

/** @throws CliError as `actAndFollowRecord` does. */
export async function followRecord(
  session: Session,
  client: Client,
  kind: RecordKind,
  { name, noun, timeoutMs, before }: RecordWork,
): Promise<void> {
  const read = async (signal: AbortSignal): Promise<RecordView> => await kind.read(client, name, signal)
  const work: Work<RecordView | undefined> = {
    name,
    noun,
    goal: 'ready',
    look: `svc ${kind.command} get ${name} --wait`,
    timeoutMs,
    concerns: ofRecord(kind, name),
    textOf: recordText,
    wait: async (poll) => await waitForRecord({ read, goal: 'ready', ...defined({ before }), ...poll }),
  }
  const { outcome, reason, elapsedMs } = await follow(session, client, work)
  if (outcome === 'failed') throw new CliError('deployFailed', `the ${noun} of ${name} failed: ${plainText(reason)}`)
  reportEnd(session, work, elapsedMs)
}

/** Whether a message of the change stream is about it. */
export const ofRecord =
  ({ resource }: Pick<RecordKind, 'resource'>, name: string) =>
  (change: Change): boolean =>
    change.resource === resource && change.name === name
