/** Runs the command line in this process: arguments in; exit code, both streams and requests out. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { runCli } from '../../cli/run.ts'
import type { Cli } from '../../cli/session/session.ts'
import { createTerminal } from '../../cli/session/terminal.ts'
import { startRecordedService, type RecordedService } from '../client/recorded-service.ts'

export interface Run {
  code: number
  out: string
  err: string
  /** Milliseconds of the run's simulated clock. */
  waitedMs: number
}

export interface RunOptions {
  input?: string
  /** Whether stdin is a terminal. */
  tty?: boolean
  /** Replaces the prompt of the terminal. */
  askSecret?: (question: string) => Promise<string>
  env?: Record<string, string>
  /** Waits in real time, on the machine's clock. */
  realTime?: boolean
  /** Called with each part of standard error as it comes. */
  onNote?: (text: string) => void
  /** Called at each sleep with the clock; may interrupt. */
  onSleep?: (waitedMs: number, interrupt: () => void) => void
}

export interface Desk {
  service: RecordedService
  configPath: string
  svc(args: readonly string[], options?: RunOptions): Promise<Run>
  /** Runs while signed in to the recorded service by flags. */
  signedIn(args: readonly string[], options?: RunOptions): Promise<Run>
  close(): Promise<void>
}

export async function openDesk(): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  const configPath = join(folder, 'svc', 'config.json')
  const service = await startRecordedService()
  const svc = async (args: readonly string[], options: RunOptions = {}) =>
    await run(args, { SVC_CONFIG: configPath, ...options.env }, options)
  return {
    service,
    configPath,
    svc,
    signedIn: async (args, options) => await svc(['--url', service.url, '--token', 'svw_a_b', ...args], options),
    close: async () => {
      await service.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function run(args: readonly string[], env: Record<string, string>, options: RunOptions): Promise<Run> {
  const stdin = Object.assign(new PassThrough(), { isTTY: options.tty === true })
  const stdout = Object.assign(new PassThrough(), { isTTY: options.tty === true, columns: 80 })
  const stderr = new PassThrough()
  const [out, err] = [collect(stdout), collect(stderr)]
  stderr.on('data', (chunk: Buffer) => options.onNote?.(chunk.toString('utf8')))
  // A terminal stays open; a pipe ends.
  if (options.tty === true) stdin.write(options.input ?? '')
  else stdin.end(options.input ?? '')
  const interrupt = new AbortController()
  let waitedMs = 0
  const cli: Cli = {
    env,
    terminal: {
      ...createTerminal({ stdin, stdout, stderr }, env),
      ...(options.askSecret === undefined ? {} : { askSecret: options.askSecret }),
    },
    signal: interrupt.signal,
    now: () => (options.realTime === true ? performance.now() : waitedMs),
    sleep: async (ms, signal) => {
      if (options.realTime === true) await setTimeout(ms)
      waitedMs += ms
      options.onSleep?.(waitedMs, () => interrupt.abort())
      signal?.throwIfAborted()
    },
  }
  const code = await runCli(args, cli)
  return { code, out: out(), err: err(), waitedMs }
}

function collect(stream: PassThrough): () => string {
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
  return () => text
}
