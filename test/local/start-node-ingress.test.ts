/** A fresh machine has no ingress: a start makes it while svc serves, and what is deployed meanwhile gets its address then. */
import { expect } from 'chai'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { request } from 'undici'
import { createClient, type Client } from '../../client/client.ts'
import { signInByPassword } from '../../client/password-sign-in.ts'
import { canHaveNode } from '../../local/node/can-have.ts'
import { findCommand } from '../../local/node/packages.ts'
import { freePort, loopback } from '../../local/ports.ts'
import { locateCache } from '../../local/servers/cache.ts'
import { serversOf } from '../../local/stack.ts'
import { eventually } from '../cluster/eventually.ts'
import { makeServersOf, testServer } from '../harness/servers.ts'
import { Start, startWithinMs } from './started.ts'
import { writeScript } from './temporary.ts'

const can = canHaveNode()
/** Looked up while every copy starts again, on a busy machine. */
const addressWithinMs = 120_000

;(can.ok ? describe : describe.skip)('the ingress of a fresh machine', function () {
  this.timeout(2 * startWithinMs)
  let folder: string
  let port: number
  let running: Start
  let client: Client
  const inside = (path: string): string => join(folder, path)
  const cache = (path: string): string => join(folder, 'cache/svc', path)

  /** The servers of this machine but for Traefik; a Go that builds Traefik once it may, and nothing else. */
  before(async () => {
    await makeServersOf('node')
    const traefik = await testServer('traefik')
    folder = mkdtempSync(join(tmpdir(), 'svc-start-ingress-'))
    port = await freePort()
    mkdirSync(cache('servers'), { recursive: true })
    const own = locateCache(process.env)
    for (const name of await serversOf({ cluster: 'node' })) symlinkSync(join(own, 'servers', name), cache(`servers/${name}`))
    mkdirSync(join(own, 'programs'), { recursive: true })
    symlinkSync(join(own, 'programs'), cache('programs'))
    mkdirSync(inside('bin'))
    const build = [
      `[ "$1" = build ] && case "$*" in *traefik*) : ;; *) exec ${findCommand('go')} "$@" ;; esac`,
      `[ "$1" = build ] || exec ${findCommand('go')} "$@"`,
      `touch ${inside('building')}; while [ ! -e ${inside('go-on')} ]; do sleep 0.1; done`,
      'while [ "$1" != -o ]; do shift; done',
      `cp ${traefik} "$2"`,
    ]
    writeScript(inside('bin/go'), ...build)
  })
  after(async () => {
    await running?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const start = async (): Promise<void> => {
    const env = { XDG_CACHE_HOME: inside('cache'), SVC_TRAEFIK: '', PATH: [inside('bin'), process.env['PATH']].join(delimiter) }
    running = new Start(env, '--cluster', 'node', '--data', inside('data'), '--port', String(port))
    await running.untilServed()
  }
  /** The names of the copies, which change when a service is rolled out anew: each has said that it listens. */
  const copies = async (): Promise<string[]> => [...new Set((await client.call('apps.logs', { app: 'early' })).lines.map(({ pod }) => pod))].toSorted()

  it('is no part of what a start waits for, which says that it follows', async () => {
    await start()
    expect(running.output).to.match(/ingress +is made in the background; services get their addresses then/)
    await eventually('it is being built', async () => existsSync(inside('building')), startWithinMs)
    expect(running.output).to.match(/ingress: building traefik \S+ from source/)
  })

  it('is missed by no service: one is deployed and ready, without an address as yet', async () => {
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    const baseUrl = `http://${loopback}:${port}`
    const token = await signInByPassword({ baseUrl, username: 'admin', password, tokenName: 'ingress', expiresInDays: 1, userAgent: 'svc-test' })
    client = createClient({ baseUrl, token, userAgent: 'svc-test' })
    const { project } = await client.call('projects.create', {})
    await client.call('apps.create', { project, environment: 'production', name: 'early', image: 'svc/hello:1', replicas: 2, deploy: true })
    await eventually('it is ready', async () => (await client.call('apps.status', { app: 'early' })).state === 'ready', addressWithinMs)
    expect((await client.call('apps.status', { app: 'early' })).url).to.equal('')
  })

  it('is given up by Ctrl-C in the middle of it, and begun again by the next start', async () => {
    expect(await running.stop()).to.equal(0)
    rmSync(inside('building'))
    await start()
    await eventually('it is being built', async () => existsSync(inside('building')), startWithinMs)
  })

  it('gives the services that run their addresses once it is there, which answer, and leaves their copies alone', async () => {
    const before = await copies()
    expect(before).to.have.length(2)
    writeFileSync(inside('go-on'), '')
    await eventually('the start says so', async () => /ingress: serves at http:\S+; every service has an address now/.test(running.output), addressWithinMs)
    let url = ''
    await eventually('the service has its address', async () => (url = (await client.call('apps.status', { app: 'early' })).url) !== '', addressWithinMs)
    const { hostname, host, port: ingressPort } = new URL(url)
    expect(hostname).to.match(/^early-.*\.localhost$/)
    expect(running.output).to.contain(`ingress: serves at http://${loopback}:${ingressPort};`)
    const answer = async (): Promise<string> => (await request(`http://${loopback}:${ingressPort}`, { headers: { host } })).body.text()
    await eventually('it answers through the ingress', async () => (await answer()).startsWith('hello from version 1 on early-'), addressWithinMs)
    expect(await copies()).to.deep.equal(before)
  })

  it('is there at once at the next start', async () => {
    expect(await running.stop()).to.equal(0)
    await start()
    expect(running.output).to.match(/ingress +http:\/\/127\.0\.0\.1:\d+/)
  })
})
