/** A wait as an error that Temporal retries after `afterMs`: a retry adds no event to the history. */
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { ConfigChanged } from './write-condition.ts'

const atOnceMs = 1

/** @param message the cause of the wait, for the Temporal UI */
export function awaited(message: string, afterMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'Waiting',
    message,
    nextRetryDelay: Math.max(atOnceMs, Math.round(afterMs)),
    category: ApplicationFailureCategory.BENIGN,
  })
}

/** Runs a pass; one that ends in ConfigChanged is retried at once with the new configuration. */
export async function onNewest<T>(pass: () => Promise<T>): Promise<T> {
  try {
    return await pass()
  } catch (error) {
    if (error instanceof ConfigChanged) throw awaited(error.message, atOnceMs)
    throw error
  }
}
