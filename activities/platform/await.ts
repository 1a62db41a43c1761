/** A wait as Temporal takes it: the activity is tried again after a while, which adds nothing to the history. */
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { ConfigChanged } from './write-condition.ts'

const atOnceMs = 1

/** @param message what is awaited, for the Temporal UI */
export function awaited(message: string, afterMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'Waiting',
    message,
    nextRetryDelay: Math.max(atOnceMs, Math.round(afterMs)),
    category: ApplicationFailureCategory.BENIGN,
  })
}

/** A pass over a configuration that changed is begun anew; a refusal of something that others changed too. */
export async function onNewest<T>(pass: () => Promise<T>): Promise<T> {
  try {
    return await pass()
  } catch (error) {
    if (error instanceof ConfigChanged) throw awaited(error.message, atOnceMs)
    throw error
  }
}
