/**
 * Calls a real api process over HTTP, as the command line does: the calls of an acceptor, each made of contract
 * operations.
 */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { ApiError } from '../../client/api-error.ts'
import { type Client, createClient } from '../../client/client.ts'
import { githubApp } from '../harness/github.ts'
import { useStack } from '../harness/stack.ts'
import type { Answer, Call } from './acceptor-calls.ts'
import type { Acceptor } from './acceptor.ts'
import { killPolicy } from './enumerated.ts'
import { startProcess } from './mortal-process.ts'

const user = { username: 'admin', password: 'correct-horse-battery', role: 'admin' }
const timeoutMs = 20_000
const notFound = 404
let token: Promise<string> | undefined

/**
 * Starts one more api replica and calls only that one. It gets the workers' policy, since its first wake opens a run
 * with its own policy.
 */
export async function startApiCaller(
  policy: object,
  logFile?: string,
  given: Readonly<Record<string, string>> = {},
): Promise<Acceptor> {
  const { kubeconfig, temporalAddress } = await useStack()
  const env = {
    ...given,
    KUBECONFIG: kubeconfig,
    SVC_TEMPORAL_ADDRESS: temporalAddress,
    SVC_POLICY: JSON.stringify({ ...killPolicy, ...policy }),
    SVC_PORT: '0',
    SVC_DASHBOARD_USERS: JSON.stringify([user]),
  }
  let listening: Promise<unknown[]> | undefined
  const started = await startProcess({
    entry: 'test/kill/mortal-api.ts',
    ready: 'the api is ready',
    env,
    ...(logFile === undefined ? {} : { logFile }),
    onSpawn: (child) => {
      listening = once(child, 'message')
    },
  })
  const [{ port }] = (await listening) as [{ port: number }] // the only message that the api sends
  const baseUrl = `http://127.0.0.1:${port}`
  token ??= makeToken(baseUrl)
  const client = createClient({ baseUrl, token: await token, userAgent: 'svc-kill', timeoutMs })
  return Object.assign(started, { ask: (call: Call) => ask({ client, baseUrl }, call) })
}

/** One token for the run; every replica accepts it. */
async function makeToken(baseUrl: string): Promise<string> {
  const signedIn = await fetch(`${baseUrl}/api/login`, { method: 'POST', body: new URLSearchParams(user) })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const made = await fetch(`${baseUrl}/api/v1/tokens`, {
    method: 'POST',
    headers: { cookie, origin: baseUrl, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'kill run', role: 'admin' }),
  })
  const answer = (await made.json()) as { token?: string } // the contract's view of tokens.create
  if (answer.token === undefined) throw new Error(`making a token answered ${made.status}`)
  return answer.token
}

interface Api {
  client: Client
  baseUrl: string
}

async function ask({ client, baseUrl }: Api, call: Call): Promise<Answer> {
  try {
    if (call.verb === 'deliver') return await deliver(baseUrl, call)
    if (call.verb === 'backup') {
      const { archive } = await client.call('databases.backup', { db: call.name })
      return { id: 0, outcome: 'accepted', attempt: archive }
    }
    await perform(client, call)
    const deployed = call.verb === 'deploy' || call.verb === 'rollback'
    // The api shows an accepted change at once.
    const attempt = deployed ? ((await client.call('apps.status', { app: call.name })).lastAttempt?.id ?? '') : ''
    return { id: 0, outcome: 'accepted', attempt }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return { id: 0, outcome: 'refused', message: error.message }
    return { id: 0, outcome: 'unanswered', message: error instanceof Error ? error.message : String(error) }
  }
}

/** As the git host sends it, signed. */
async function deliver(
  baseUrl: string,
  { event, delivery, body }: Extract<Call, { verb: 'deliver' }>,
): Promise<Answer> {
  const text = JSON.stringify(body)
  const answer = await fetch(`${baseUrl}/webhooks/githost`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': delivery,
      'x-hub-signature-256': `sha256=${createHmac('sha256', githubApp.webhookSecret).update(text).digest('hex')}`,
    },
    body: text,
    signal: AbortSignal.timeout(timeoutMs),
  })
  const message = `${answer.status} ${await answer.text()}`
  if (answer.ok) return { id: 0, outcome: 'accepted', attempt: '' }
  return { id: 0, outcome: answer.status < 500 ? 'refused' : 'unanswered', message }
}

async function perform(client: Client, call: Exclude<Call, { verb: 'deliver' | 'backup' }>): Promise<void> {
  const app = call.name
  switch (call.verb) {
    case 'create': {
      const { name, project, image, replicas } = call
      if (!(await exists(client, name)))
        await client.call('apps.create', { name, project, environment: 'production', source: 'image', image, replicas })
      return
    }
    case 'save':
      await client.call('apps.update', { app, image: call.image })
      for (const [key, value] of Object.entries(call.config)) await client.call('apps.config-set', { app, key, value })
      return
    case 'save-function':
      await client.call('apps.update', { app, functionCode: call.code, functionTriggers: [...call.triggers] })
      return
    case 'set-secret':
      await client.call('apps.secrets-set', { app, key: call.key, value: call.value })
      return
    case 'deploy':
      await client.call('apps.deploy', { app })
      return
    case 'rollback':
      await client.call('apps.rollback', { app, revision: call.revision })
      return
    case 'scale':
      await client.call('apps.scale', { app, replicas: call.replicas })
      return
    case 'delete':
      await client.call('apps.delete', { app, confirmName: app }).catch(passNotFound)
      return
    case 'restore':
      await client.call('databases.restore', { archive: call.name })
      return
    case 'delete-backup':
      await client.call('databases.delete-archive', { archive: call.name, confirmName: call.name }).catch(passNotFound)
      return
    case 'delete-database': {
      const { name, backupFirst } = call
      await client.call('databases.delete', { db: name, confirmName: name, backupFirst }).catch(passNotFound)
      return
    }
    default:
      call satisfies never
  }
}

async function exists(client: Client, app: string): Promise<boolean> {
  try {
    await client.call('apps.status', { app })
    return true
  } catch (error) {
    return passNotFound(error)
  }
}

function passNotFound(error: unknown): false {
  if (error instanceof ApiError && error.status === notFound) return false
  throw error
}
