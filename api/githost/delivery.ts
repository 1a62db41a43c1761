/** The common part of deliveries of all git servers (docs/reference/githost.md#pushes). */
import type { Logger } from '../../cluster/objects/log.ts'
import { Problem, refuse } from '../../contract/problem.ts'

/** So long the signing secret is cached: it is read no more often, however many senders there are. */
export const secretTrustMs = 10_000

export const unsigned = (): Problem => new Problem('unauthenticated', 'the signature of the delivery is not valid')

const idForm = /^[\w-]{8,64}$/

/** The ID of a delivery. @throws Problem invalid_request for an invalid one */
export function checkedId(id: string): string {
  if (!idForm.test(id)) throw refuse('the delivery has no ID')
  return id
}

/** @throws Problem invalid_request */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('the delivery must be JSON')
  }
}

/** Waits until the work on a delivery is durable. @throws Problem internal_error: the sender may send it again. */
export async function durable(log: Logger, about: object, what: string, work: Promise<unknown>): Promise<void> {
  await work.catch((cause: unknown) => {
    log.warn({ ...about, error: String(cause) }, `a ${what} could not be taken in; its sender may send it again`)
    throw new Problem('internal_error', `the ${what} could not be taken in; send it again`, cause)
  })
}
