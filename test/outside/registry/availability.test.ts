/** How many registries that do not answer are kept in mind. */
import { expect } from 'chai'
import { createAway } from '../../../outside/registry/availability.ts'

describe('The list of registries that are away', () => {
  it('holds a thousand of them, and evicts the oldest', () => {
    const away = createAway(() => new Promise(() => undefined), { againMs: 1_000, now: () => 0 })
    for (let index = 0; index < 1_500; index += 1) away.silent(`https://r${index}.example.com`)
    const known = Array.from({ length: 1_500 }, (_, index) => away.worthAsking(`https://r${index}.example.com`)).filter(
      (worth) => !worth,
    )
    expect(known).to.have.length(1_000)
    expect(away.worthAsking('https://r499.example.com')).to.equal(true)
    expect(away.worthAsking('https://r500.example.com')).to.equal(false)
  })
})
