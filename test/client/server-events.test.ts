/** Reading server-sent events, however the bytes are split. */
import { expect } from 'chai'
import fc from 'fast-check'
import { readServerEvents } from '../../client/server-events.ts'

async function read(...chunks: Uint8Array[]): Promise<unknown[]> {
  async function* body() {
    yield* chunks
  }
  const events: unknown[] = []
  for await (const event of readServerEvents(body())) events.push(event)
  return events
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const cases: [string, string, unknown[]][] = [
  ['an event with its name', 'event: change\ndata: {"op":"add"}\n\n', [{ event: 'change', data: { op: 'add' } }]],
  ['an id', 'id: 7\ndata: 1\n\n', [{ id: '7', data: 1 }]],
  ['several lines of data as one', 'data: {"a":\ndata: 1}\n\n', [{ data: { a: 1 } }]],
  ['data that is no JSON as text', 'data: hello\n\n', [{ data: 'hello' }]],
  ['no events from pings', ': ping\n\n: ping\n\n', []],
  ['no event without data', 'event: change\n\n', []],
  ['line ends of every kind', 'data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n', [{ data: 1 }, { data: 2 }, { data: 3 }]],
  ['nothing of an event that was cut off', 'data: 1\n\ndata: 2\n', [{ data: 1 }]],
]

describe('readServerEvents', () => {
  for (const [name, text, wanted] of cases) {
    it(`reads ${name}`, async () => expect(await read(bytes(text))).to.deep.equal(wanted))
  }
  it('reads the same events wherever the bytes are cut', async () => {
    const text = 'event: change\r\ndata: {"name":"grüße 🚀"}\r\n\r\n: ping\n\nid: 2\ndata: two\n\n'
    const whole = await read(bytes(text))
    expect(whole).to.have.length(2)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes(text).length), { maxLength: 20 }), async (cuts) => {
        const at = [0, ...cuts.toSorted((one, other) => one - other), bytes(text).length]
        const chunks = at.slice(1).map((end, index) => bytes(text).slice(at[index], end))
        expect(await read(...chunks)).to.deep.equal(whole)
      }),
    )
  })
})
