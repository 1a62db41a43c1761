/** Who asked for the deletion of a record, by what was noted on it just before. */
import { expect } from 'chai'
import { annotations } from '../../../kinds/meta/annotations.ts'
import { deletedBy } from '../../../kinds/provision/deletion-request.ts'

const deleted = (note: unknown, deletionTimestamp = '2026-01-01T00:00:10Z') => ({
  name: 'one',
  deletionTimestamp,
  ...(note === undefined ? {} : { annotations: { [annotations.deletion]: JSON.stringify(note) } }),
})

describe('who asked for a deletion', () => {
  const at = '2026-01-01T00:00:09.700Z'
  for (const [what, metadata, who] of [
    ['a user', deleted({ actor: 'ada', at }), 'ada'],
    ['svc itself', deleted({ actor: '', at }), ''],
    ['kubectl, which notes nothing', deleted(undefined), 'kubectl'],
    [
      'kubectl, minutes after a request whose process died',
      deleted({ actor: 'ada', at }, '2026-01-01T00:05:00Z'),
      'kubectl',
    ],
    ['kubectl, where the note is none of svc', deleted({ actor: 'a'.repeat(300), at }), 'kubectl'],
    ['kubectl, where the note has no time', deleted({ actor: 'ada' }), 'kubectl'],
  ] as const)
    it(what, () => expect(deletedBy(metadata)).to.equal(who))
})
