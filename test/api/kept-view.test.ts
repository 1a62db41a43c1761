/** Answers about one record are made again exactly when something they are made of is another object. */
import { expect } from 'chai'
import { createKeptView } from '../../api/views/kept-view.ts'
import { jsonOf } from '../../api/views/memoized-body.ts'

describe('a kept view', () => {
  const record = { name: 'web' }
  const [workload, newWorkload] = [{ ready: 1 }, { ready: 2 }]
  const [builds, newBuilds] = [[], []]
  const cases: readonly (readonly [string, Parameters<ReturnType<typeof createKeptView>>[0], boolean])[] = [
    ['the same record and sources', { record, sources: [workload, builds] }, false],
    ['another version of the record', { record: { ...record }, sources: [workload, builds] }, true],
    ['another workload', { record, sources: [newWorkload, builds] }, true],
    ['a workload that is gone', { record, sources: [undefined, builds] }, true],
    ['another list, though as long', { record, sources: [workload, newBuilds] }, true],
    ['another form', { record, form: 'redacted', sources: [workload, builds] }, true],
  ]
  for (const [what, of, again] of cases)
    it(`is ${again ? 'made again' : 'the very same'} for ${what}`, () => {
      const kept = createKeptView<{ made: number }>()
      let made = 0
      const make = () => ({ made: ++made })
      const first = kept({ record, sources: [workload, builds] }, make)
      const second = kept(of, make)
      expect(second === first).to.equal(!again)
      expect(String(jsonOf(second))).to.equal(`{"made":${again ? 2 : 1}}`)
    })

  it('has its JSON made once, long or short, whatever its letters', () => {
    for (const text of ['short', 'ä', '日本'.repeat(2000)]) {
      const view = createKeptView<{ text: string }>()({ record: {} }, () => ({ text }))
      expect(String(jsonOf(view))).to.equal(JSON.stringify({ text }))
      expect(jsonOf(view)).to.equal(jsonOf(view))
    }
  })
})
