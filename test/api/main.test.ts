/** The api as a process of its own: it starts without Temporal, prints the first password once, and stops in time. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { AuthSecret } from '../../records/secrets/auth-secret.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { forgetUsers } from './test-api.ts'

const main = join(import.meta.dirname, '../../api/main.ts')

describe('the api process', () => {
  let running: ChildProcess | undefined
  let kubeconfig: string

  beforeEach(async function () {
    this.timeout(60_000)
    const stack = await useStack()
    kubeconfig = stack.kubeconfig
    await forgetUsers(stack.client)
  })
  afterEach(() => {
    running?.kill('SIGKILL')
  })
  after(async () => forgetUsers((await useStack()).client))

  async function firstPassword(name: string): Promise<string> {
    const { client } = await useStack()
    const secret = await client.get<AuthSecret>({ type: coreTypes.secret, namespace: systemNamespace, name })
    return Buffer.from(secret?.data?.['password'] ?? '', 'base64').toString()
  }

  function start(env: Record<string, string>) {
    const child = spawn(process.execPath, [main], {
      env: { PATH: process.env['PATH'], KUBECONFIG: kubeconfig, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running = child
    const said = { out: '', error: '' }
    child.stdout.on('data', (chunk: Buffer) => {
      said.out += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      said.error += chunk.toString()
    })
    return { child, said }
  }

  it('serves while Temporal is away, makes the first admin, and ends a stream at SIGTERM within five seconds', async () => {
    const port = await freePort()
    // No process listens on port 1.
    const { child, said } = start({ SVC_PORT: String(port), SVC_FIRST_ADMIN: '1', SVC_TEMPORAL_ADDRESS: '127.0.0.1:1' })
    await eventually('ready', () => said.out.includes('api ready'), 20_000)
    const [, username = '', secret = ''] =
      /^first sign-in: (\S+), with the password that this shows until then: kubectl -n svc-system get secret (\S+) /m.exec(
        said.out,
      ) ?? []
    const password = await firstPassword(secret)
    const baseUrl = `http://127.0.0.1:${port}`
    const signedIn = await fetch(`${baseUrl}/api/login`, {
      method: 'POST',
      body: new URLSearchParams({ username, password }),
    })
    expect(signedIn.status).to.equal(200)
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const events = await fetch(`${baseUrl}/api/events`, { headers: { cookie } })
    expect(events.status).to.equal(200)
    child.kill('SIGTERM')
    const [code] = (await once(child, 'exit')) as [number | null]
    expect(code).to.equal(0)
    expect(said.out).not.to.include(password)
    expect(await firstPassword(secret)).to.equal('')
  }).timeout(40_000)

  it('says in one sentence why it cannot start', async () => {
    for (const [env, sentence] of [
      [{ SVC_PORT: 'many' }, 'SVC_PORT must be a port number'],
      [{ SVC_DASHBOARD_USERS: '[]', SVC_PORT: '0' }, 'SVC_DASHBOARD_USERS is not usable'],
      [{ KUBECONFIG: '/nowhere', SVC_PORT: '0' }, '/nowhere'],
    ] as const) {
      const { child, said } = start(env)
      const [code] = (await once(child, 'exit')) as [number | null]
      expect(code, sentence).to.equal(1)
      await eventually(`printed ${sentence}`, () => said.error.includes(sentence))
      expect(said.error.trim().split('\n'), said.error).to.have.length(1)
    }
  }).timeout(40_000)
})
