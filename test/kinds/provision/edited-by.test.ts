/** Who asked for a spec, by the note that was written with it. */
import { expect } from 'chai'
import { editedBy, withEditor } from '../../../kinds/provision/edited-by.ts'

describe('who asked for a spec', () => {
  const metadata = { name: 'one', generation: 3 }
  const noted = withEditor(metadata, 'ada')
  it('is the one whose write made its generation', () => {
    expect(editedBy({ ...noted, generation: 4 })).to.equal('ada')
    expect(editedBy({ ...withEditor({ name: 'one' }, 'ada'), generation: 1 })).to.equal('ada')
  })
  it('is not known before that write, after another one, and without a note', () => {
    for (const other of [noted, { ...noted, generation: 5 }, metadata]) expect(editedBy(other)).to.equal(undefined)
  })
})
