/** The usual way of the process `svc`: gives its streams, clock and Ctrl-C to one run and exits with its code. */
import { runCli } from './run.ts'
import { exitCodes } from './session/exit-codes.ts'
import { createTerminal } from './session/terminal.ts'
import { defined } from '../contract/defined.ts'

/** Time for the last line, such as "the deploy goes on"; a second Ctrl-C does not wait for it. */
const drainMs = 500

const interrupt = new AbortController()
process.on('SIGINT', () => {
  if (interrupt.signal.aborted) process.exit(exitCodes.error)
  interrupt.abort()
  setTimeout(() => process.exit(exitCodes.error), drainMs).unref()
})

// `svc logs web | head` closes the pipe: the reader needs no more output.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? exitCodes.success : exitCodes.error)
})

export async function runProcess(): Promise<void> {
  process.exitCode = await runCli(process.argv.slice(2), {
    env: process.env,
    terminal: createTerminal(process, process.env),
    signal: interrupt.signal,
    now: () => performance.now(),
    sleep: async (ms, signal) => {
      const { setTimeout: sleep } = await import('node:timers/promises')
      await sleep(ms, undefined, defined({ signal }))
    },
  })
}
