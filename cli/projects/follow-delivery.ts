/** `svc webhooks redeliver --wait`: shows the tries until one is received or there are no more. */
import { delivery, lastErrorOf, type Delivery } from '../../client/wait/delivery.ts'
import type { Follow } from '../operations/operation-command.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import { plainText } from '../session/terminal.ts'
import { follow, reportEnd, type Work } from '../wait/follow.ts'

export const followDelivery: Follow = async (session, client, { flags, act }) => {
  const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
  const { run } = (await act()) as { run: string } // the view of this operation
  const work: Work<Delivery | undefined> = {
    name: 'the event',
    noun: 'delivery',
    goal: 'delivered',
    look: `svc runs show ${run}`,
    timeoutMs,
    concerns: () => false,
    textOf: deliveryText,
    wait: delivery(client, run),
  }
  const { outcome, reason, elapsedMs } = await follow(session, client, work)
  if (outcome === 'failed') throw new CliError('deployFailed', `the event was not delivered: ${plainText(reason)}`)
  reportEnd(session, work, elapsedMs)
}

/** `running  the last try failed: answered 500` */
function deliveryText(found: Delivery | undefined): string {
  if (found === undefined) return 'not begun yet'
  const error = lastErrorOf(found)
  const tries = error === '' || found.outcome !== 'running' ? '' : `  the last try failed: ${error}`
  return plainText(`${found.phase ?? found.outcome}${tries}`)
}
