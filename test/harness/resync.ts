/** Triggers the resync of all records. */
import { Client, Connection, ScheduleOverlapPolicy } from '@temporalio/client'
import { resyncScheduleId } from '../../durable/ids.ts'
import { eventually } from '../cluster/eventually.ts'
import { atEnd, useStack } from './stack.ts'

/** A trigger names its run after the second, so that a second trigger within it is lost and has to be repeated. */
const againMs = 3_000
const waitMs = 45_000

let opened: Promise<Client> | undefined

/** Triggers resyncs until the expected result holds. */
export async function resyncUntil(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const { schedule } = await (opened ??= open())
  let asked = -Infinity
  await eventually(
    what,
    async () => {
      if (await holds()) return true
      if (performance.now() - asked < againMs) return false
      asked = performance.now()
      await schedule.getHandle(resyncScheduleId).trigger(ScheduleOverlapPolicy.ALLOW_ALL)
      return false
    },
    waitMs,
  )
}

async function open(): Promise<Client> {
  const { temporalAddress, temporalNamespace } = await useStack()
  const connection = await Connection.connect({ address: temporalAddress })
  atEnd(() => connection.close())
  return new Client({ connection, namespace: temporalNamespace })
}
