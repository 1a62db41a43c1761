/**
 * A fresh machine has no ingress: a start makes it while svc serves, and services deployed meanwhile get their address
 * then. Runs when its folder is named: Traefik takes six minutes of processor time to build.
 */
import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { request } from 'undici'
import { createClient, type Client } from '../../../client/client.ts'
import { signInByPassword } from '../../../client/password-sign-in.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { findCommand } from '../../../one-machine/debian/packages.ts'
import { freePort, loopback } from '../../../one-machine/processes/ports.ts'
import { locateCache } from '../../../one-machine/servers/cache.ts'
import { serversOf } from '../../../one-machine/stack.ts'
import { eventually } from '../../cluster/eventually.ts'
import { makeServersOf, testServer } from '../../harness/servers.ts'
import { Start, startWithinMs } from '../started.ts'
import { writeScript } from '../temporary.ts'

const run = promisify(execFile)
const can = canHaveNode()
/** Covers the restart of every copy on a busy machine. */
const addressWithinMs = 120_000

;(can.ok ? describe : describe.skip)('the ingress of a fresh machine', function () {
  this.timeout(2 * startWithinMs)
  let folder: string
  let port: number
  let running: Start
  let client: Client
  let ingress = 0
  const inside = (path: string): string => join(folder, path)
  const cache = (path: string): string => join(folder, 'cache/svc', path)

  /** The servers of this machine without Traefik, and a Go that builds only Traefik, once the test allows it. */
  before(async () => {
    await makeServersOf('node')
    const traefik = await testServer('traefik')
    await testServer('victoria-metrics')
    folder = mkdtempSync(join(tmpdir(), 'svc-start-ingress-'))
    port = await freePort()
    mkdirSync(cache('servers'), { recursive: true })
    const own = locateCache(process.env)
    for (const name of [...(await serversOf({ cluster: 'node' })), 'victoria-metrics'])
      symlinkSync(join(own, 'servers', name), cache(`servers/${name}`))
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
    // An image that was being made when the start was stopped may still be unpacked for some seconds.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
  })

  const start = async (): Promise<void> => {
    const env = {
      XDG_CACHE_HOME: inside('cache'),
      SVC_TRAEFIK: '',
      PATH: [inside('bin'), process.env['PATH']].join(delimiter),
    }
    running = new Start(env, '--cluster', 'node', '--data', inside('data'), '--port', String(port))
    await running.untilServed()
  }
  /** The names of the copies, which change with a new rollout: each has logged that it listens. */
  const copies = async (): Promise<string[]> =>
    [...new Set((await client.call('apps.logs', { app: 'early' })).lines.map(({ pod }) => pod))].toSorted()

  /** What the ingress answers for a host: the name of a service, or another text. */
  const answer = async (host: string): Promise<string> => {
    const text = await (await request(`http://${loopback}:${ingress}`, { headers: { host } })).body.text()
    return /^hello from version 1 on (\w+)-/.exec(text)?.[1] ?? text
  }
  const untilAnswers = (host: string, app: string) =>
    eventually(`${app} answers at ${host}`, async () => (await answer(host)) === app, addressWithinMs)
  const stays = async (host: string, app: string): Promise<void> => {
    for (let look = 0; look < 10; look += 1) {
      expect(await answer(host)).to.equal(app)
      await delay(100)
    }
  }

  it('is no part of what a start waits for, which says that it follows', async () => {
    await start()
    expect(running.output).to.match(/ingress +is made in the background; services get their addresses then/)
    await eventually('it is being built', async () => existsSync(inside('building')), startWithinMs)
    expect(running.output).to.match(/ingress: building traefik \S+ from source/)
  })

  it('is missed by no service: one is deployed and ready, without an address as yet', async () => {
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    const baseUrl = `http://${loopback}:${port}`
    const token = await signInByPassword({
      baseUrl,
      username: 'admin',
      password,
      tokenName: 'ingress',
      expiresInDays: 1,
      userAgent: 'svc-test',
    })
    client = createClient({ baseUrl, token, userAgent: 'svc-test' })
    const { project } = await client.call('projects.create', {})
    await client.call('apps.create', {
      project,
      environment: 'production',
      name: 'early',
      image: 'svc/hello:1',
      replicas: 2,
      deploy: true,
    })
    await eventually(
      'it is ready',
      async () => (await client.call('apps.status', { app: 'early' })).state === 'ready',
      addressWithinMs,
    )
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
    await eventually(
      'the start says so',
      async () => /ingress: serves at http:\S+; every service has an address now/.test(running.output),
      addressWithinMs,
    )
    let url = ''
    await eventually(
      'the service has its address',
      async () => (url = (await client.call('apps.status', { app: 'early' })).url) !== '',
      addressWithinMs,
    )
    const { hostname, host, port: ingressPort } = new URL(url)
    expect(hostname).to.match(/^early-.*\.localhost$/)
    expect(running.output).to.contain(`ingress: serves at http://${loopback}:${ingressPort};`)
    ingress = Number(ingressPort)
    await untilAnswers(hostname, 'early')
    expect(host).to.equal(`${hostname}:${ingressPort}`)
    expect(await copies()).to.deep.equal(before)
  })

  it('leads a host to the service that owns it, in every order in which services ask for it', async () => {
    const { project } = await client.call('projects.create', {})
    const [, owner = ''] =
      /^early-(.+)\.localhost$/.exec(new URL((await client.call('apps.status', { app: 'early' })).url).hostname) ?? []
    const given = (name: string): string => `${name}-${owner}.localhost`
    const create = (name: string, host?: string) =>
      client.call('apps.create', {
        project,
        environment: 'production',
        name,
        image: 'svc/hello:1',
        deploy: true,
        ...(host === undefined ? {} : { host }),
      })
    const kubeconfig = /kubeconfig +(\S+)/.exec(running.output)?.[1] ?? ''
    const kubectl = await testServer('kubectl')
    /** Writes the record directly, without the api. */
    const asks = async (app: string, host: string): Promise<void> => {
      const change = JSON.stringify({ spec: { ingress: { host } } })
      await run(kubectl, [
        '--kubeconfig',
        kubeconfig,
        '-n',
        'svc-system',
        'patch',
        'svcapp',
        app,
        '--type',
        'merge',
        '-p',
        change,
      ])
      await client.call('apps.deploy', { app })
    }
    const waits = (app: string, message: string) =>
      eventually(message, async () => (await client.call('apps.status', { app })).message === message, addressWithinMs)

    // The owner claimed the host first.
    expect(await create('rival', given('early')).catch((error: unknown) => String(error))).to.include(
      'this host is kept for another service',
    )
    await create('rival')
    await asks('rival', given('early'))
    await waits('rival', `host ${given('early')} is kept for another service`)
    await stays(given('early'), 'early')
    // The owner claims the host second.
    await asks('rival', given('later'))
    await waits('rival', `host ${given('later')} is kept for another service`)
    await client.call('apps.create', {
      project: owner,
      environment: 'production',
      name: 'later',
      image: 'svc/hello:1',
      deploy: true,
    })
    await untilAnswers(given('later'), 'later')
    await stays(given('later'), 'later')
    // A host that no name reserves belongs to the first service that asked for it, and is free again when that one
    // releases it.
    await asks('rival', 'shop.test')
    await untilAnswers('shop.test', 'rival')
    await eventually(
      'it is ready',
      async () => (await client.call('apps.status', { app: 'rival' })).state === 'ready',
      addressWithinMs,
    )
    await asks('early', 'shop.test')
    await waits('early', 'host shop.test belongs to another service')
    await stays('shop.test', 'rival')
    await asks('rival', '')
    await untilAnswers('shop.test', 'early')
  })

  it('is there at once at the next start', async () => {
    expect(await running.stop()).to.equal(0)
    await start()
    expect(running.output).to.match(/ingress +http:\/\/127\.0\.0\.1:\d+/)
  })
})
