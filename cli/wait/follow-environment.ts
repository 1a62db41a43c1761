/** `--wait` of a deploy of a whole environment: shows it until everything that it accepted has ended. */
import type { Client } from '../../client/client.ts'
import {
  openOf,
  readEnvironment,
  undeployed,
  waitForEnvironment,
  type Place,
  type Summaries,
} from '../../client/wait/environment.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import type { Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { follow, reportEnd, type WaitFlags, type Work } from './follow.ts'

/** Resources of the change stream that a deploy of an environment moves. */
const moved: ReadonlySet<string> = new Set(['apps', 'databases', 'object-stores'])

/**
 * Performs `act`, which deploys what is saved in the environment, and waits for the end of all of it. What is saved is
 * read before: the answer to the deploy only counts it.
 * @throws CliError `deployFailed` naming what failed, `timedOut`, or `error` when interrupted; the deploys go on then.
 */
export async function actAndFollowEnvironment(
  session: Session,
  client: Client,
  place: Place,
  flags: WaitFlags,
  act: () => Promise<unknown>,
): Promise<void> {
  const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
  const awaited = undeployed(await readEnvironment(client, place, session.signal))
  await act()
  const names = new Set(awaited.map(({ name }) => name))
  const work: Work<{ items: Summaries }> = {
    name: place.environment,
    noun: 'deploy',
    goal: 'ready',
    look: `svc apps list -p ${place.project} -e ${place.environment}`,
    timeoutMs,
    concerns: ({ resource, name }) => moved.has(resource) && names.has(name),
    textOf: ({ items }) => environmentText(items, awaited.length),
    wait: async (poll) => await waitForEnvironment({ client, place, awaited, ...poll }),
  }
  const { outcome, reason, elapsedMs } = await follow(session, client, work)
  if (outcome === 'failed')
    throw new CliError('deployFailed', `the deploy of ${place.environment} failed: ${plainText(reason)}`)
  reportEnd(session, work, elapsedMs)
}

/** `2 of 3 done  web pending` */
function environmentText(items: Summaries, count: number): string {
  const open = openOf(items)
  const words = open.map(({ name, state }) => `${name} ${state}`).join(', ')
  return `${count - open.length} of ${count} done${words === '' ? '' : `  ${plainText(words)}`}`
}
