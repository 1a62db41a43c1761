/** `--wait` of what the workflow of a project carries out: shows the project until it is ready again. */
import type { Client } from '../../client/client.ts'
import { waitForRecord, type RecordView } from '../../client/wait/record.ts'
import { defined } from '../../contract/defined.ts'
import type { Follow } from '../operations/operation-command.ts'
import { recordText } from '../output/resource-text.ts'
import { ofRecord } from '../records/follow-record.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import type { Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { follow, reportEnd, type Work } from '../wait/follow.ts'

export const waitUntilSetUp = 'wait until it is set up on the cluster'
export const waitUntilGone = 'wait until everything in it is deleted'

/** What is done to a project: `removal` of `pr-7`, which is `gone` then. */
export interface ProjectWork {
  noun: 'creation' | 'change' | 'removal'
  goal: 'ready' | 'gone'
  /** The name of the project, or of the environment in it. */
  name: string
}

type Params = Readonly<Record<string, unknown>>

/** `--wait` of an operation that changes the project in its parameter `project`. */
export const followProjectChange =
  (workOf: (params: Params) => ProjectWork): Follow =>
  async (session, client, { params, flags, act }) => {
    const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
    const project = String(params['project'])
    // Read before, so that the ready of earlier work does not count as the end of this.
    const before = await client.call('projects.get', { project }, { signal: session.signal })
    await act()
    await followProject(session, client, { ...workOf(params), project, before, timeoutMs })
  }

/** @throws CliError `deployFailed` where it fails. */
export async function followProject(
  session: Session,
  client: Client,
  { project, before, timeoutMs, ...what }: ProjectWork & { project: string; before?: RecordView; timeoutMs: number },
): Promise<void> {
  const read = async (signal: AbortSignal) => await client.call('projects.get', { project }, { signal })
  const work: Work<RecordView | undefined> = {
    ...what,
    look: `svc projects get ${project}`,
    timeoutMs,
    concerns: ofRecord({ resource: 'projects' }, project),
    textOf: (record) => `project ${recordText(record)}`,
    wait: async (poll) => await waitForRecord({ read, goal: 'ready', ...defined({ before }), ...poll }),
  }
  const { outcome, reason, elapsedMs } = await follow(session, client, work)
  if (outcome === 'failed')
    throw new CliError('deployFailed', `the ${what.noun} of ${what.name} failed: ${plainText(reason)}`)
  reportEnd(session, work, elapsedMs)
}
