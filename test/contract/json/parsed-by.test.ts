/** What another server answers is used only where it has the shape that its caller knows. */
import { expect } from 'chai'
import { z } from 'zod'
import { parsedBy } from '../../../contract/json/parsed-by.ts'

const shape = z.object({ name: z.string(), size: z.number().default(0) })

describe('the answer of another server', () => {
  for (const text of ['', '<html>', '{"name": "a"', 'null', '[]', '{}', '{"name": 1}'])
    it(`of ${JSON.stringify(text)} is none`, () => {
      expect(parsedBy(shape, text)).to.equal(undefined)
    })

  it('of the known shape has the fields that are known, with their defaults', () => {
    expect(parsedBy(shape, '{"name": "a", "other": 1}')).to.deep.equal({ name: 'a', size: 0 })
    expect(
      parsedBy(shape, '{"name": "a", "size": 2}', (_, value: unknown) => (value === 2 ? 3 : value))?.size,
    ).to.equal(3)
  })
})
