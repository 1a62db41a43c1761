/** The change stream with a thousand listeners, some of which stop reading. */
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

const many = 1000
const wave = 200
const name = 'proj-0d0d0d0d'
const waitMs = 30_000

describe('a thousand listeners of the change stream', function () {
  this.timeout(4 * waitMs)
  let api: TestApi
  let token: string
  const crowd: Listener[] = []

  before(async () => {
    api = await startTestApi()
    token = await api.token({ role: 'viewer' })
    const { client } = await useStack()
    // The cluster fills in the defaults.
    const spec = { displayName: 'loud heron', environments: ['production'] } as Project['spec']
    await client.create<Project>(resourceTypes.project, {
      apiVersion,
      kind: 'SvcProject',
      metadata: { name, namespace: systemNamespace },
      spec,
    })
    // In waves: more at once than the system keeps for a busy server are connected by their next try, seconds later.
    while (crowd.length < many) {
      for (let n = 0; n < wave; n += 1) crowd.push(listen(api.port, token))
      const connected = () => crowd.filter(({ text }) => text().includes('event: connected')).length
      await eventually(`${crowd.length} are connected`, () => connected() === crowd.length, waitMs)
    }
  })
  after(async () => {
    for (const { socket } of crowd) socket.destroy()
    await api.stop()
    await (await useStack()).client.delete({ type: resourceTypes.project, namespace: systemNamespace, name })
  })

  const listening = async (): Promise<number> =>
    Number(/^svc_api_event_listeners (\d+)$/m.exec((await api.ask('GET', '/metrics')).text)?.[1])
  const change = async (value: string): Promise<void> => {
    const { client } = await useStack()
    await client.patch(
      { type: resourceTypes.project, namespace: systemNamespace, name },
      { metadata: { annotations: { [annotations.displayName]: value } } },
    )
  }

  it('GET /api/v1/events sends a change to each of them', async () => {
    expect(await listening()).to.equal(many)
    await change('one')
    const message = `data: {"type":"change","resource":"projects","name":"${name}","op":"update"}`
    await eventually('all have received it', () => crowd.every(({ text }) => text().includes(message)), waitMs)
  })

  it('GET /api/v1/events does not wait for those who stopped reading', async () => {
    for (const { socket } of crowd.slice(0, many / 2)) socket.pause()
    const lively = crowd.slice(many / 2)
    const before = lively.map(({ text }) => text().length)
    await change('two')
    await eventually(
      'the others have received it',
      () => lively.every(({ text }, place) => text().length > (before[place] ?? 0)),
      waitMs,
    )
  })

  it('GET /api/v1/events drops listeners that disconnected', async () => {
    for (const { socket } of crowd.slice(0, many - 10)) socket.destroy()
    await eventually('ten are left', async () => (await listening()) === 10, waitMs)
    const before = crowd.at(-1)?.text().length ?? 0
    await change('three')
    await eventually('and receives', () => (crowd.at(-1)?.text().length ?? 0) > before, waitMs)
  })
})

interface Listener {
  readonly socket: Socket
  readonly text: () => string
}

function listen(port: number, token: string): Listener {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (data) => (text += String(data)))
  socket.on('error', () => undefined) // the api cuts it off at the end
  socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return { socket, text: () => text }
}
