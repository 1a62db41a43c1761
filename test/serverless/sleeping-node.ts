/** A real node whose services may sleep, by `npm start`, and what its tests ask of it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Agent, request } from 'undici'
import { createClient, type Client } from '../../client/client.ts'
import { signInByPassword } from '../../client/password-sign-in.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { eventuallyOnNode } from '../cluster/eventually.ts'
import { Start } from '../one-machine/started.ts'

export const idleSeconds = 30

export class SleepingNode {
  project = ''
  #folder: string | undefined
  #port: number | undefined
  #running: Start | undefined
  #client: Client | undefined
  #password = ''

  /** The start that runs, or ran last. */
  get running(): Start {
    return present(this.#running)
  }
  get client(): Client {
    return present(this.#client)
  }
  /** Where requests come in, for every host; another start may have another port. */
  get ingress(): URL {
    return new URL(/ingress +(http:\S+)/.exec(this.running.output)?.[1] ?? '')
  }
  /** Of this run, made when it is asked for first. */
  get folder(): string {
    return (this.#folder ??= mkdtempSync(join(tmpdir(), 'svc-serverless-')))
  }
  get dataDir(): string {
    return join(this.folder, 'data')
  }

  /** `npm start` with these options, and settings of the environment besides; resolves when it serves. */
  begin = async (first: string | NodeJS.ProcessEnv = {}, ...rest: string[]): Promise<void> => {
    const [settings, options] = typeof first === 'string' ? [{}, [first, ...rest]] : [first, rest]
    const port = (this.#port ??= await freePort())
    const where = ['--cluster', 'node', '--data', this.dataDir, '--port', String(port)]
    this.#running = new Start(settings, ...where, ...options)
    await this.#running.untilServed()
    this.#password = /password (\S+)/.exec(this.#running.output)?.[1] ?? this.#password
  }

  untilServerless = () =>
    eventuallyOnNode('it says so', () => this.running.output.includes('services with a host may sleep when idle'))

  /** As the first admin, who has the password that the first start said; makes a project. */
  signIn = async (): Promise<void> => {
    const baseUrl = `http://127.0.0.1:${this.#port}`
    const who = { username: 'admin', password: this.#password, tokenName: 'sleep', expiresInDays: 1 }
    const token = await signInByPassword({ baseUrl, ...who, userAgent: 'svc-test' })
    this.#client = createClient({ baseUrl, token, userAgent: 'svc-test' })
    this.project = (await this.client.call('projects.create', {})).project
  }

  status = (app: string) => this.client.call('apps.status', { app })

  untilAsleep = (app: string) =>
    eventuallyOnNode(`${app} sleeps`, async () => (await this.status(app)).sleeping === true)

  /** Until the last copy has ended, too: a request before may be answered by it, and is cut when it is gone. */
  untilNoCopy = async (app: string): Promise<void> => {
    await this.untilAsleep(app)
    const hasNone = async () => (await this.client.call('apps.copies', { app })).items.length === 0
    await eventuallyOnNode(`the last copy of ${app} has ended`, hasNone)
  }

  /** A ready service that may sleep; resolves with its host. */
  create = async (name: string, image: string, settings: object, sleep: object = {}): Promise<string> => {
    const { client, project } = this
    await client.call('apps.create', { project, environment: 'production', name, image })
    await client.call('apps.update', { app: name, ...settings })
    await client.call('apps.deploy', { app: name })
    await eventuallyOnNode(`${name} is ready`, async () => (await this.status(name)).state === 'ready')
    await client.call('apps.update', { app: name, scaleToZero: true, idleSeconds, ...sleep })
    await eventuallyOnNode(`${name} may sleep`, async () => (await this.status(name)).scaleToZero?.active === true)
    return new URL((await this.status(name)).url).hostname
  }

  ask = async (host: string, dispatcher?: Agent) => {
    const answer = await request(this.ingress, {
      headers: { host },
      ...(dispatcher === undefined ? {} : { dispatcher }),
    })
    return { code: answer.statusCode, cold: answer.headers['x-keda-http-cold-start'], text: await answer.body.text() }
  }

  remove = async (): Promise<void> => {
    await this.#running?.stop()
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
  }
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the node was not started yet')
  return value
}
