/** A real api in this process, on a port of its own, with short calls to it. */
import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { Pushes, ScheduleStarts, Wakes } from '../../api/context/needs.ts'
import { startApi, type RunningApi } from '../../api/process/start.ts'
import { apiSettings } from '../../api/process/process-settings.ts'
import { type ClusterClient, connectCluster } from '../../cluster/client.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { standardPolicy } from '../../durable/policy.ts'
import type { PushInput } from '../../kinds/apps/git/push.ts'
import { pullRequestKey } from '../../kinds/projects/pull-requests.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { createRedeliveries } from '../../temporal/client/redeliveries.ts'
import { createRuns } from '../../temporal/client/runs.ts'
import { lateClient } from '../harness/late-client.ts'
import { useStack } from '../harness/stack.ts'

/** Users made at the first start of a run; every file of the run signs in with them. */
export const testUsers = {
  admin: { username: 'admin', password: 'correct-horse-battery', role: 'admin' },
  viewer: { username: 'vera', password: 'staple-staple-staple', role: 'viewer' },
} as const

export interface Asked {
  readonly json?: unknown
  readonly form?: Record<string, string | readonly string[]>
  /** A body sent unchanged, with its content type. */
  readonly raw?: { readonly body: string | Uint8Array<ArrayBuffer>; readonly type?: string }
  readonly token?: string
  readonly cookie?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body when it is JSON, else undefined; each test knows the shape that it asked for. */
  readonly body: any // oxlint-disable-line typescript/no-explicit-any -- a test reads whatever came
}

export interface TestApi extends RunningApi {
  readonly baseUrl: string
  readonly logLines: () => readonly Record<string, unknown>[]
  readonly woken: readonly string[]
  /** Pushes that were taken in, unless the options name another way. */
  readonly pushed: readonly PushInput[]
  ask(method: string, path: string, asked?: Asked): Promise<Answer>
  /** The cookie of a signed-in user; requests with it name the dashboard as their origin. */
  signIn(who: keyof typeof testUsers): Promise<string>
  /** The value of a fresh API token. */
  token(wanted: Record<string, unknown>): Promise<string>
}

export interface TestApiOptions {
  readonly client?: ClusterClient
  readonly env?: Record<string, string>
  readonly clock?: () => number
  readonly pushes?: Pushes
  readonly scheduleStarts?: ScheduleStarts
}

/** Starts one more api replica against the cluster of the run. */
export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const stack = await useStack()
  const own = options.client === undefined ? lateClient(connectCluster({ kubeconfig: stack.kubeconfig })) : undefined
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'debug' }, intoLines(lines))
  const woken: string[] = []
  const wakes: Wakes = {
    wake: (kind, name, { reason }) => void woken.push(`${kind}/${name}: ${reason}`),
    note: () => undefined,
  }
  // No process listens at this address: no test calls a real cloud.
  const settings = apiSettings({
    SVC_PORT: '0',
    SVC_AWS_ENDPOINT: 'http://127.0.0.1:9',
    SVC_DASHBOARD: '/nowhere', // what an earlier run built is no part of a test
    SVC_DASHBOARD_USERS: JSON.stringify(Object.values(testUsers)),
    ...options.env,
  })
  const temporal = connectTemporal(
    temporalSettings({
      SVC_TEMPORAL_ADDRESS: stack.temporalAddress,
      SVC_TEMPORAL_NAMESPACE: stack.temporalNamespace,
    }),
  )
  const pushed: PushInput[] = []
  const pushes: Pushes = {
    start: async (input) => void pushed.push(input),
    startGit: async ({ app, delivery }) => void woken.push(`git/${app}: ${delivery}`),
    wakePullRequest: async (ref, { reason }) => void woken.push(`pr/${pullRequestKey(ref)}: ${reason}`),
  }
  const client = options.client ?? own ?? stack.client
  const ofTemporal = { client: temporal.client, policy: standardPolicy, searchable: true }
  const api = await startApi({
    settings,
    client,
    wakes,
    pushes: options.pushes ?? pushes,
    runs: createRuns(ofTemporal),
    redeliveries: createRedeliveries(ofTemporal),
    scheduleStarts: options.scheduleStarts ?? { run: async () => true },
    log,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  })
  const baseUrl = `http://127.0.0.1:${api.port}`
  const ask = (method: string, path: string, asked: Asked = {}): Promise<Answer> => askAt(baseUrl, method, path, asked)
  const signIn = async (who: keyof typeof testUsers): Promise<string> => {
    const { username, password } = testUsers[who]
    const answer = await ask('POST', '/api/login', { form: { username, password } })
    const cookie = answer.headers.get('set-cookie')?.split(';')[0]
    if (cookie === undefined) throw new Error(`sign-in answered ${answer.status} ${answer.text}`)
    return cookie
  }
  /** For what the harness asks: a sign-in takes a tenth of a second of processor time. */
  let admin: string | undefined
  return {
    ...api,
    baseUrl,
    logLines: () => lines,
    woken,
    pushed,
    ask,
    signIn,
    async token(wanted) {
      const make = async () =>
        await ask('POST', '/api/v1/tokens', { json: wanted, cookie: (admin ??= await signIn('admin')) })
      let answer = await make()
      if (answer.status === 401) {
        // The test has ended the session, or time that it shifts.
        admin = undefined
        answer = await make()
      }
      if (answer.status !== 200) throw new Error(`making a token answered ${answer.status} ${answer.text}`)
      return answer.body.token
    },
    async stop() {
      await api.stop()
      await Promise.all([temporal.close(), own?.close()])
    },
  }
}

/** Removes the users of an earlier start, for tests of first starts. */
export async function forgetUsers(client: ClusterClient): Promise<void> {
  await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: 'svc-dashboard-auth' })
}

/** One request to an api at any address. */
export async function askAt(baseUrl: string, method: string, path: string, asked: Asked): Promise<Answer> {
  const headers = new Headers(asked.headers)
  if (asked.token !== undefined) headers.set('authorization', `Bearer ${asked.token}`)
  if (asked.cookie !== undefined) {
    headers.set('cookie', asked.cookie)
    if (!headers.has('origin') && !headers.has('referer')) headers.set('origin', baseUrl)
  }
  const body = bodyOf(asked, headers)
  const response = await fetch(baseUrl + path, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
    ...(asked.signal === undefined ? {} : { signal: asked.signal }),
  })
  const text = await response.text()
  const isJson = (response.headers.get('content-type') ?? '').includes('json') && text !== ''
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

function bodyOf({ json, form, raw }: Asked, headers: Headers): string | Uint8Array<ArrayBuffer> | undefined {
  if (json !== undefined) {
    headers.set('content-type', 'application/json')
    return JSON.stringify(json)
  }
  if (form !== undefined) {
    headers.set('content-type', 'application/x-www-form-urlencoded')
    const pairs = Object.entries(form).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, each] as [string, string]),
    )
    return new URLSearchParams(pairs).toString()
  }
  if (raw === undefined) return undefined
  if (raw.type !== undefined) headers.set('content-type', raw.type)
  // As bytes: fetch would add a content type of its own to a text.
  return typeof raw.body === 'string' ? new TextEncoder().encode(raw.body) : raw.body
}

function intoLines(lines: Record<string, unknown>[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>) // pino writes one JSON object a line
      done()
    },
  })
}
