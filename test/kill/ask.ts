/** Requests of a caller that are repeated until one of the processes has answered. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Call } from './acceptor-calls.ts'
import { askAgainMs } from './insist.ts'

export interface Asking {
  ask(call: Call, turn: number): Promise<Answer>
}

/** What a call is about, for a message. */
export const subjectOf = (call: Call): string => ('name' in call ? call.name : call.event)

/**
 * Resolves with the effective attempt. After an answer that was lost, `onLost` reads what the request may have done.
 * Throws when it is refused.
 */
export async function askUntilAccepted(
  { ask }: Asking,
  call: Call,
  firstTurn: number,
  onLost: () => Promise<void> = async () => undefined,
): Promise<string> {
  for (let turn = firstTurn; ; turn += 1) {
    const answer = await ask(call, turn)
    if (answer.outcome === 'accepted') return answer.attempt
    if (answer.outcome === 'refused')
      throw new Error(`${call.verb} of ${subjectOf(call)} was refused: ${answer.message}`)
    await sleep(askAgainMs)
    await onLost()
  }
}
