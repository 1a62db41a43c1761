/** A JSON list of a ConfigMap, which any writer with kubectl may have set. */
import { expect } from 'chai'
import { z } from 'zod'
import { parseList } from '../../../kinds/meta/parse-list.ts'

const entry = z.object({ id: z.string() })

describe('a list in a ConfigMap', () => {
  for (const [text, ids] of [
    [undefined, []],
    ['', []],
    ['null', []],
    ['{"id":"a"}', []],
    ['[{"id":"a"}', []],
    ['[{"id":"a"},null,7,{"id":8},{"id":"b"}]', ['a', 'b']],
  ] as const)
    it(`of ${JSON.stringify(text ?? null)} has ${ids.length} entries`, () => {
      expect(parseList(text, entry).map(({ id }) => id)).to.deep.equal(ids)
    })
})
