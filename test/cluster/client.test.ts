/** The client on an unreliable network: connections, paging, retries, time limits, credentials. */
import type { V1Secret } from '@kubernetes/client-node'
import { expect } from 'chai'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectCluster, type ClusterClient } from '../../cluster/client.ts'
import { ClusterError, isConflict, isInvalid, isUnreachable } from '../../cluster/objects/errors.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { startFakeServer, writeKubeconfig, type FakeServer } from './fake-server.ts'

const type = coreTypes.configMap
/** The client reads files at most once a second. */
const reloadGapMs = 1_050
const ref = { type, namespace: 'default', name: 'a' }

async function failure(work: Promise<unknown>): Promise<ClusterError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ClusterError) return error
  throw new Error(`no ClusterError but ${String(error)}`)
}

describe('the cluster client', () => {
  let server: FakeServer
  let client: ClusterClient & { close(): Promise<void> }
  let received: string[]

  beforeEach(async () => {
    server = await startFakeServer()
    received = []
    client = connectCluster({
      kubeconfig: server.kubeconfig,
      onRequest: (verb, resource, status) => received.push(`${verb} ${resource} ${status}`),
    })
  })

  afterEach(async () => {
    await client.close()
    await server.stop()
  })

  it('sends 50 requests in a row over a connection or two, and 50 at once over at most 16', async () => {
    for (let i = 0; i < 50; i += 1) await client.list(type, { namespace: 'default' })
    expect(server.connections()).to.be.at.most(2)
    await Promise.all(Array.from({ length: 50 }, () => client.list(type, { namespace: 'default' })))
    expect(server.connections()).to.be.at.most(16)
    expect(received).to.have.length(100)
    expect(new Set(received)).to.deep.equal(new Set(['list configmaps 200']))
  })

  it('lists by pages of 500, or no more than asked', async () => {
    for (let i = 0; i < 1_201; i += 1) server.set(`item-${i}`)
    const { items, resourceVersion } = await client.list(type, { namespace: 'default' })
    expect(items).to.have.length(1_201)
    expect(items[1_200]).to.include({ apiVersion: 'v1', kind: 'ConfigMap' })
    expect(resourceVersion).to.equal(server.version())
    expect(server.requests).to.have.length(3)
    expect((await client.list(type, { namespace: 'default', limit: 7 })).items).to.have.length(7)
  })

  it('lists in one piece when the snapshot expired between two pages', async () => {
    for (let i = 0; i < 600; i += 1) server.set(`item-${i}`)
    const listing = client.list(type, { namespace: 'default' })
    server.refuse(1, 410)
    expect((await listing).items).to.have.length(600)
  })

  it('sends a write again after 429, and fails after some tries', async () => {
    server.refuse(2, 429, { 'retry-after': '0' })
    expect((await client.patch(ref, {})).metadata.name).to.equal('written')
    server.refuse(10, 429, { 'retry-after': '0' })
    const error = await failure(client.patch(ref, {}))
    expect(error).to.include({ status: 429, retryAfterSeconds: 0 })
    expect(isUnreachable(error)).to.equal(true)
  })

  it('sends nothing again after 500', async () => {
    server.refuse(1, 500)
    expect(await failure(client.patch(ref, {}))).to.include({ status: 500, reason: 'Refused' })
    expect(server.requests).to.have.length(1)
  })

  it('reads rotated credentials after a 401', async () => {
    await client.list(type, { namespace: 'default' })
    server.requireToken('second')
    writeKubeconfig(server.url, { token: 'second' }, server.kubeconfig)
    await new Promise((resolve) => setTimeout(resolve, reloadGapMs))
    await client.patch(ref, {})
    expect(server.requests.slice(-2)).to.deep.equal(['PATCH', 'PATCH'])
    server.requireToken('third')
    expect(await failure(client.patch(ref, {}))).to.include({ status: 401, reason: 'Unauthorized' })
  })

  it('runs the exec plugin of a kubeconfig, and again after a 401', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-exec-'))
    const tokenFile = join(folder, 'token')
    const plugin = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'sh',
      args: ['-c', `printf '{"status":{"token":"%s"}}' "$(cat ${tokenFile})"`],
    }
    writeFileSync(tokenFile, 'one')
    const executing = connectCluster({ kubeconfig: writeKubeconfig(server.url, { exec: plugin }) })
    try {
      server.requireToken('one')
      await executing.patch(ref, {})
      writeFileSync(tokenFile, 'two')
      server.requireToken('two')
      await new Promise((resolve) => setTimeout(resolve, reloadGapMs))
      await executing.patch(ref, {})
    } finally {
      await executing.close()
      rmSync(folder, { recursive: true })
    }
    expect(server.requests).to.deep.equal(['PATCH', 'PATCH', 'PATCH'])
  })

  it('says in a sentence that there is no such kubeconfig or context', () => {
    expect(() => connectCluster({ kubeconfig: '/nowhere/kubeconfig' })).to.throw('cannot read /nowhere/kubeconfig')
    expect(() => connectCluster({ kubeconfig: server.kubeconfig, context: 'other' })).to.throw(
      'no cluster for context "other"',
    )
  })

  it('refuses to address a whole cluster by an empty namespace or name', async () => {
    for (const wrong of [
      { type, name: 'a' },
      { type, namespace: '', name: 'a' },
      { type, namespace: 'default', name: '' },
    ]) {
      const error = await client.get(wrong).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error).to.be.instanceOf(TypeError)
    }
    expect(server.requests).to.deep.equal([])
  })
})

describe('the cluster client, on a bad connection', () => {
  let server: Server
  let answer: RequestListener
  let requests: number
  let client: ClusterClient & { close(): Promise<void> }

  beforeEach(async () => {
    requests = 0
    server = createServer((req, res) => {
      requests += 1
      answer(req, res)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    client = connectCluster({
      kubeconfig: writeKubeconfig(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    })
  })

  afterEach(async () => {
    await client.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it('fails after its time limit', async () => {
    answer = () => undefined
    const error = await failure(client.get(ref, { timeoutMs: 50 }))
    expect(error).to.include({ status: 0, reason: 'Timeout' })
    expect(isUnreachable(error)).to.equal(true)
  })

  it('rejects with the reason of the caller who aborted', async () => {
    answer = () => undefined
    const controller = new AbortController()
    const call = client.get(ref, { signal: controller.signal }).catch((reason: unknown) => reason)
    controller.abort(new Error('changed my mind'))
    expect(String(await call)).to.equal('Error: changed my mind')
  })

  it('reads again when a kept connection broke, but never repeats a write', async () => {
    answer = (req, res) => {
      if (requests === 1) req.socket.destroy()
      else res.end('{"kind":"ConfigMap","metadata":{"name":"a"}}')
    }
    expect((await client.get(ref))?.metadata.name).to.equal('a')
    expect(requests).to.equal(2)
    answer = (req) => req.socket.destroy()
    expect(await failure(client.patch(ref, { data: { x: 'hush' } }))).to.include({ status: 0, reason: 'Unreachable' })
    expect(requests).to.equal(3)
  })

  it('says which call met no server', async () => {
    answer = () => undefined
    const gone = connectCluster({ kubeconfig: writeKubeconfig('http://127.0.0.1:1') })
    const error = await failure(gone.get(ref))
    await gone.close()
    expect(error.message).to.contain('GET /api/v1/namespaces/default/configmaps/a').and.contain('ECONNREFUSED')
  })

  it('never repeats what a Secret held, in message, cause or fields', async () => {
    answer = (_req, res) => {
      const message = 'Secret "a" is invalid: data[x]: Invalid value: "hush"'
      res.writeHead(422).end(
        JSON.stringify({
          kind: 'Status',
          reason: 'Invalid',
          message,
          details: { causes: [{ field: 'data[x]', message }] },
        }),
      )
    }
    const secret: Sent<V1Secret> = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a', namespace: 'default' },
      stringData: { x: 'hush' },
    }
    const error = await failure(client.create(coreTypes.secret, secret))
    expect(isInvalid(error)).to.equal(true)
    expect(error.message).to.equal('POST /api/v1/namespaces/default/secrets: Invalid (data[x])')
    expect(JSON.stringify([error, error.stack, error.cause])).to.not.contain('hush')
  })

  it('takes a plain text answer of a proxy for what it is', async () => {
    answer = (_req, res) => res.writeHead(502).end('<html>bad gateway</html>')
    const error = await failure(client.get(ref))
    expect(error).to.include({ status: 502, reason: 'HTTP 502' })
    expect(isConflict(error)).to.equal(false)
  })
})
