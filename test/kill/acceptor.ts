/** Client of an acceptor process that may be killed: every call gets an answer, `unanswered` when the process ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { useStack } from '../harness/stack.ts'
import { killPolicy } from './enumerated.ts'
import type { Answer, Call } from './acceptor-calls.ts'
import { type MortalProcess, startProcess } from './mortal-process.ts'

export interface Acceptor extends MortalProcess {
  ask(call: Call): Promise<Answer>
}

/** Longer than one write of a record takes with its retries. */
const waitMs = 60_000

export async function startAcceptor(
  policy: object = {},
  logFile?: string,
  given: Readonly<Record<string, string>> = {},
): Promise<Acceptor> {
  const { kubeconfig, temporalAddress } = await useStack()
  const started = await startProcess({
    entry: 'test/kill/mortal-acceptor.ts',
    ready: 'the acceptor is ready',
    env: {
      ...given,
      KUBECONFIG: kubeconfig,
      SVC_TEMPORAL_ADDRESS: temporalAddress,
      SVC_POLICY: JSON.stringify({ ...killPolicy, ...policy }),
    },
    ...(logFile === undefined ? {} : { logFile }),
  })
  const waiting = new Map<number, (answer: Answer) => void>()
  let asked = 0
  started.child.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  void started.gone.then(() => {
    for (const [id, resolve] of waiting) resolve({ id, outcome: 'unanswered', message: 'the process died' })
  })
  const ask = async (call: Call): Promise<Answer> => {
    const id = (asked += 1)
    if (!started.alive) return { id, outcome: 'unanswered', message: 'the process is dead' }
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve))
    started.child.send({ id, call }, () => undefined) // a failed send means a dead process, which answers
    const late = new AbortController()
    const tooLate = sleep(waitMs, { id, outcome: 'unanswered', message: 'no answer in time' } as const, {
      signal: late.signal,
    })
    tooLate.catch(() => undefined) // the timeout was aborted
    return await Promise.race([answered, tooLate]).finally(() => late.abort())
  }
  return Object.assign(started, { ask })
}
