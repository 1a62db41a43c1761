/** `--wait` of a database, logical database or bucket: shows it until it is ready, has failed, or is gone. */
import type { Client } from '../../client/client.ts'
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
  noun: 'deploy' | 'creation' | 'deletion'
  timeoutMs: number
  /** The record as it was before the request. */
  before?: RecordView
}

/**
 * Performs `act`, which requests the operation, and waits for its end; returns the answer of `act`. The record is read
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
  const view = await act()
  const last = await followRecord(session, client, kind, { name, noun, timeoutMs, before })
  // A deleted record has no status, so the answer to the deletion is the output.
  if (session.flags.json === true && last === undefined) session.terminal.json(view)
}

/** Returns the last view that was read. */
export async function followRecord(
  session: Session,
  client: Client,
  kind: RecordKind,
  { name, noun, timeoutMs, before }: RecordWork,
): Promise<RecordView | undefined> {
  const goal = noun === 'deletion' ? 'gone' : 'ready'
  const read = async (signal: AbortSignal): Promise<RecordView> => await kind.read(client, name, signal)
  const work: Work<RecordView | undefined> = {
    name,
    noun,
    goal,
    look: `svc ${kind.command} get ${name}`,
    timeoutMs,
    textOf: recordText,
    wait: async (patience) => await waitForRecord({ read, goal, ...defined({ before }), ...patience }),
  }
  const { outcome, reason, status, elapsedMs } = await follow(session, work)
  if (outcome === 'failed') throw new CliError('deployFailed', `the ${noun} of ${name} failed: ${plainText(reason)}`)
  reportEnd(session, work, elapsedMs)
  return status
}
