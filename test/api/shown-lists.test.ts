/** The lists of bootstrap are cached; when a list changes, only its changed items are made anew. */
import { expect } from 'chai'
import { memoizeList } from '../../api/platform/shown-lists.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'

const record = (name: string, born: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, creationTimestamp: born },
})

describe('a memoized list', () => {
  const [a, b, c] = [
    record('a', '2026-11-21T12:00:00Z'),
    record('b', '2026-11-21T11:00:00Z'),
    record('c', '2026-11-21T11:00:00Z'),
  ]
  const shown: string[] = []
  const read = memoizeList<KubeObject>(({ metadata }) => {
    shown.push(metadata.name)
    return { metadata: { name: metadata.name }, spec: {}, status: {} }
  })
  const nameOf = ({ metadata }: { metadata: { name?: string } }) => metadata.name

  it('is sorted oldest first, then by name, and its bytes are its JSON', () => {
    const { view, bytes } = read([a, b, c])
    expect(view.items?.map(nameOf)).to.deep.equal(['b', 'c', 'a'])
    expect(String(bytes())).to.equal(JSON.stringify(view))
    expect(bytes()).to.equal(bytes())
  })

  it('is the same while the array is, and shows only what is new of another', () => {
    const objects = [a, b, c]
    const first = read(objects)
    expect(read(objects)).to.equal(first)
    shown.length = 0
    const changed = record('b', '2026-11-21T11:00:00Z')
    const next = read([a, changed, c])
    expect(next).not.to.equal(first)
    expect(shown).to.deep.equal(['b'])
    expect(String(next.bytes())).to.equal(JSON.stringify(next.view))
  })

  it('is null when it is empty', () => {
    const { view, bytes } = read([])
    expect([view, String(bytes())]).to.deep.equal([{ items: null }, '{"items":null}'])
  })
})
