/**
 * A log store for tests. Where `SVC_LOKI` names an executable it is a real Loki, and `SVC_LOKI_RECORD=1` records its
 * answers; everywhere else a server replays the recorded answers. Building Loki takes longer than all the tests.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeSettings } from '../../one-machine/index.ts'
import { endChild, freePort, launch, waitUntilReady } from '../../one-machine/processes/index.ts'
import { atEnd } from './stack.ts'

export interface Loki {
  readonly url: string
  readonly tenant: string
  /** The current time of the recording, which queries with times use. */
  readonly nowMs: number
  /** Stores lines of one pod as a collector does; `at` in nanoseconds since 1970. */
  push(labels: Record<string, string>, lines: readonly StoredLine[]): Promise<void>
  stop(): Promise<void>
}

export interface StoredLine {
  readonly at: bigint
  readonly line: string
}

/** Time of the recording, requests (path and query) and the answers of a real Loki. */
interface Recording {
  readonly nowMs: number
  readonly answers: Record<string, { status: number; body: string }>
}

const address = '127.0.0.1'
const tenant = 'svc-test'
const pushPath = '/loki/api/v1/push'

/** @param recordingFile file of the recorded answers */
export async function startLoki(recordingFile: string): Promise<Loki> {
  const command = process.env['SVC_LOKI']
  // Written by `startReal` below.
  if (command === undefined) return replay(JSON.parse(await readFile(recordingFile, 'utf8')) as Recording)
  if (!existsSync(command)) throw new Error(`SVC_LOKI names ${command}, which is not there`)
  return startReal(command, process.env['SVC_LOKI_RECORD'] === '1' ? recordingFile : undefined)
}

async function replay(recording: Recording): Promise<Loki> {
  const serving = await serve(async (path, headers) => {
    if (headers['x-scope-orgid'] !== tenant) return { status: 401, body: 'no org id' }
    return recording.answers[path] ?? { status: 599, body: `not recorded: ${path}` }
  })
  return { ...serving, tenant, nowMs: recording.nowMs, push: async () => undefined } // the recording includes them
}

/** One process that serves several tenants from a folder, behind a proxy that records its answers. */
async function startReal(command: string, recordingFile: string | undefined): Promise<Loki> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-loki-'))
  const [http, grpc] = [await freePort(), await freePort()]
  await writeFile(join(folder, 'loki.json'), JSON.stringify({ ...storeSettings({ http, grpc }), auth_enabled: true }))
  const real = `http://${address}:${http}`
  const ready = async (): Promise<boolean> => (await fetch(`${real}/ready`).catch(() => undefined))?.ok === true
  const child = launch({
    name: 'loki',
    command,
    args: ['-config.file=loki.json'],
    cwd: folder,
    logFile: join(folder, 'loki.log'),
    ready,
  })
  const recording: Recording = { nowMs: Date.now(), answers: {} }
  const serving = await serve(async (path, headers) => {
    const answer = await fetch(real + path, { headers: { 'x-scope-orgid': String(headers['x-scope-orgid']) } })
    return (recording.answers[path] = { status: answer.status, body: withoutStatistics(await answer.text()) })
  })
  let stopping: Promise<void> | undefined
  const end = async (): Promise<void> => {
    await serving.stop()
    await endChild(child)
    await rm(folder, { recursive: true, force: true })
    if (recordingFile !== undefined) await writeFile(recordingFile, `${JSON.stringify(recording, null, 1)}\n`)
  }
  const stop = (): Promise<void> => (stopping ??= end())
  atEnd(stop)
  await waitUntilReady(child)
  return { url: serving.url, tenant, nowMs: recording.nowMs, push: (labels, lines) => push(real, labels, lines), stop }
}

/** Removes the durations, which differ each time. */
function withoutStatistics(text: string): string {
  try {
    const { status, data } = JSON.parse(text) as { status: string; data: object } // the shape of Loki's answers
    return JSON.stringify({ status, data: { ...data, stats: undefined } })
  } catch {
    return text
  }
}

async function serve(
  answer: (path: string, headers: NodeJS.Dict<string | string[]>) => Promise<{ status: number; body: string }>,
) {
  const server = createServer((request, response) => {
    answer(request.url ?? '', request.headers).then(
      ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      (error: unknown) => response.writeHead(599).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://${address}:${(server.address() as AddressInfo).port}`, stop } // a TCP server has one
}

async function push(url: string, labels: Record<string, string>, lines: readonly StoredLine[]): Promise<void> {
  const streams = [{ stream: labels, values: lines.map(({ at, line }) => [String(at), line]) }]
  const headers = { 'content-type': 'application/json', 'x-scope-orgid': tenant }
  const answer = await fetch(url + pushPath, { method: 'POST', headers, body: JSON.stringify({ streams }) })
  if (!answer.ok) throw new Error(`Loki took no lines: ${answer.status} ${await answer.text()}`)
}
