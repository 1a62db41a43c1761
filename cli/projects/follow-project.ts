/** `--wait` of what the workflow of a project carries out: shows the project until it is ready again. */
import { waitForRecord, type RecordView } from '../../client/wait/record.ts'
import type { Follow } from '../operations/operation-command.ts'
import { recordText } from '../output/resource-text.ts'
import { ofRecord } from '../records/follow-record.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import { plainText } from '../session/terminal.ts'
import { follow, reportEnd, type Work } from '../wait/follow.ts'

export const waitUntilGone = 'wait until everything in it is deleted'

/** The end of an environment, of the name that `nameOf` finds in what was asked for. */
export const followRemoval =
  (nameOf: (params: Readonly<Record<string, unknown>>) => string): Follow =>
  async (session, client, { params, flags, act }) => {
    const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
    const project = String(params['project'])
    const read = async (signal: AbortSignal): Promise<RecordView> =>
      await client.call('projects.get', { project }, { signal })
    // Read before, so that the ready of earlier work does not count as the end of this removal.
    const before = await read(session.signal)
    await act()
    const name = nameOf(params)
    const work: Work<RecordView | undefined> = {
      name,
      noun: 'removal',
      goal: 'gone',
      look: `svc projects get ${project}`,
      timeoutMs,
      concerns: ofRecord({ resource: 'projects' }, project),
      textOf: (record) => `project ${recordText(record)}`,
      wait: async (patience) => await waitForRecord({ read, goal: 'ready', before, ...patience }),
    }
    const { outcome, reason, elapsedMs } = await follow(session, client, work)
    if (outcome === 'failed') throw new CliError('deployFailed', `the removal of ${name} failed: ${plainText(reason)}`)
    reportEnd(session, work, elapsedMs)
  }
