/** The parts of the bundle: what each command reads and compiles before it begins, which its start-up time follows. */
import { expect } from 'chai'
import { buildParts, type Parts } from '../../cli/packing/parts.ts'

describe('the parts of the bundle', function () {
  this.timeout(60_000)
  let parts: Parts
  before(async () => (parts = await buildParts('node20')))

  it('are few where every command needs them: no schemas, no HTTP, no protocol of agents', () => {
    expect(parts.script.length).to.be.below(90_000)
    expect(parts.script).to.include('Deploy and run services')
    // Their own words, which no shortening of names changes.
    for (const words of ['invalid_type', '/api/v1', 'notifications/progress', 'work with databases'])
      expect(parts.script).not.to.include(words)
  })
  it('have messages in one language', () => {
    expect(parts.lines.length).to.be.below(560_000)
  })
  it('are each a line of their own that is a comment', () => {
    const lines = parts.lines.split('\n').filter((line) => line !== '')
    expect(lines.length).to.be.above(20)
    for (const line of lines) expect(line).to.match(/^\/\/part \.\/[\w-]+\.js ("|H4sI)/)
  })
})
