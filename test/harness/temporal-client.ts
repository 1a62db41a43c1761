/** A client of the run's Temporal server, for tests that look at runs. */
import { Client, Connection } from '@temporalio/client'
import { atEnd, useStack } from './stack.ts'

let connected: Promise<Client> | undefined

/** One connection for the whole run. */
export function useClient(): Promise<Client> {
  connected ??= (async () => {
    const { temporalAddress, temporalNamespace } = await useStack()
    const connection = await Connection.connect({ address: temporalAddress })
    atEnd(() => connection.close())
    return new Client({ connection, namespace: temporalNamespace })
  })()
  return connected
}
