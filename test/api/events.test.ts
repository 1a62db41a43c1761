/** The change stream, read as a browser reads it. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { annotations } from '../../kinds/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi } from './test-api.ts'
import type { TestApi } from './test-api.ts'

const names = ['proj-0b0b0b01', 'proj-0b0b0b02', 'proj-0b0b0b03']

describe('the change stream', () => {
  let api: TestApi
  let client: ClusterClient
  let token: string

  before(async function () {
    this.timeout(60_000)
    client = (await useStack()).client
    api = await startTestApi()
    token = await api.token({ role: 'viewer' })
  })
  after(() => api.stop())
  afterEach(async () => {
    for (const name of names) await client.delete(ref(name))
  })

  it('begins with connected and then tells what happened to what', async () => {
    const stream = await listen()
    await client.create(resourceTypes.project, project(names[0] ?? ''))
    await eventually('the project is told', () => stream.changes.length === 1)
    await client.patch(ref(names[0] ?? ''), { metadata: { annotations: { [annotations.attempt]: '{"record":"x"}' } } })
    await eventually('the deploy is told', () => stream.changes.length === 2)
    await client.delete(ref(names[0] ?? ''))
    await eventually('the deletion is told', () => stream.changes.length === 3)
    expect(stream.text).to.match(/^event: connected\ndata: \{"type":"connected"\}\n\n/)
    expect(stream.changes).to.deep.equal([
      { type: 'change', resource: 'projects', name: names[0], op: 'add' },
      { type: 'change', resource: 'projects', name: names[0], op: 'deploy' },
      { type: 'change', resource: 'projects', name: names[0], op: 'delete' },
    ])
    stream.close()
  })

  it('tells a burst of one record once', async () => {
    const name = names[1] ?? ''
    await client.create(resourceTypes.project, project(name))
    const stream = await listen()
    for (let n = 0; n < 10; n += 1) await client.patch(ref(name), { metadata: { annotations: { 'svc.dev/n': String(n) } } })
    await eventually('something is told', () => stream.changes.length > 0)
    await new Promise((resolve) => {
      setTimeout(resolve, 400)
    })
    expect(stream.changes.length).to.be.lessThan(4)
    stream.close()
  })

  it('says nothing of tokens, pods and nodes', async () => {
    const stream = await listen()
    await api.token({ role: 'viewer' })
    await client.create(resourceTypes.project, project(names[2] ?? ''))
    await eventually('the project is told', () => stream.changes.length > 0)
    expect(stream.changes.map(({ resource }) => resource)).to.deep.equal(['projects'])
    stream.close()
  })

  it('is refused to project tokens and strangers, and served to sessions on both paths', async () => {
    expect((await api.ask('GET', '/api/events')).status).to.equal(401)
    const cookie = await api.signIn('viewer')
    for (const path of ['/api/events', '/api/v1/events']) {
      const stop = new AbortController()
      const response = await fetch(api.baseUrl + path, { headers: { cookie }, signal: stop.signal })
      expect(response.headers.get('content-type')).to.include('text/event-stream')
      expect(response.headers.get('cache-control')).to.include('no-transform')
      stop.abort()
    }
  })

  it('ends with the server, without being waited for', async () => {
    const own = await startTestApi()
    const stream = await listen(own)
    const startedAt = performance.now()
    await own.stop()
    expect(performance.now() - startedAt).to.be.lessThan(2000)
    await eventually('the stream ended', () => stream.ended())
  })

  async function listen(at = api) {
    const stop = new AbortController()
    const response = await fetch(`${at.baseUrl}/api/v1/events`, { headers: { authorization: `Bearer ${token}` }, signal: stop.signal })
    const heard = { text: '', ended: false }
    const decoder = new TextDecoder()
    const read = async () => {
      for await (const chunk of response.body ?? []) heard.text += decoder.decode(chunk)
      heard.ended = true
    }
    read().catch((error: unknown) => {
      if (!stop.signal.aborted) throw error
    })
    await eventually('connected', () => heard.text.includes('event: connected'))
    return {
      get text() {
        return heard.text
      },
      get changes() {
        const lines = heard.text.split('\n\n').filter((each) => each.startsWith('event: change'))
        return lines.map((each) => JSON.parse(each.split('\ndata: ')[1] ?? '{}') as Record<string, string>)
      },
      ended: () => heard.ended,
      close: () => stop.abort(),
    }
  }
})

const ref = (name: string) => ({ type: resourceTypes.project, namespace: systemNamespace, name })

function project(name: string): Project {
  return {
    apiVersion,
    kind: 'SvcProject',
    metadata: { name, namespace: systemNamespace },
    spec: { displayName: name, environments: ['production'] } as Project['spec'], // the cluster fills in the defaults
  }
}
