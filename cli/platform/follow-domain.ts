/** `svc settings domain set --wait`: shows the checks of the domain until the dashboard is reached at it. */
import { waitForDomain, type Domain, type SavedDomain } from '../../client/wait/domain.ts'
import type { Follow } from '../operations/operation-command.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import { plainText } from '../session/terminal.ts'
import { follow, reportEnd, type Work } from '../wait/follow.ts'

export const followDomain: Follow = async (session, client, { params, flags, act }) => {
  const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
  await act()
  const saved: SavedDomain = params // the fields of this row
  const work: Work<Domain> = {
    name: saved.rootDomain ?? 'the domain',
    noun: 'verification',
    goal: 'ready',
    look: 'svc settings domain show',
    timeoutMs,
    concerns: ({ resource }) => resource === 'platform-config',
    textOf: ({ ready, reason, message }) => (ready ? 'ready' : plainText(`${reason}  ${message}`)),
    wait: async (poll) => await waitForDomain({ client, saved, ...poll }),
  }
  const { outcome, reason, status, elapsedMs } = await follow(session, client, work)
  if (outcome === 'failed') throw new CliError('deployFailed', `the domain is not verified: ${plainText(reason)}`)
  reportEnd(session, work, elapsedMs, status?.dashboardURL)
}
