/** The parts of the bundle: what each command reads and compiles before it begins, which its start-up time follows. */
import { expect } from 'chai'
import manifest from '../../package.json' with { type: 'json' }
import { buildParts, type Parts } from '../../cli/packing/parts.ts'

describe('the parts of the bundle', function () {
  this.timeout(60_000)
  let parts: Parts
  before(async () => (parts = await buildParts('node20')))

  it('are few where a start needs them: the version, and no parser of the command line', () => {
    expect(parts.script.length).to.be.below(10_000)
    expect(parts.script).to.include('not signed in to a service')
    expect(parts.script).not.to.include('Deploy and run services')
  })
  it('are few where every command needs them: no schemas, no HTTP, no protocol of agents', async () => {
    const { script } = await buildParts('node24', { compiled: true })
    expect(script.length).to.be.below(90_000)
    expect(script).to.include('Deploy and run services')
    // Their own words, which no shortening of names changes.
    for (const words of ['invalid_type', '/api/v1', 'notifications/progress', 'work with databases'])
      expect(script).not.to.include(words)
    expect(parts.lines).to.match(/^\/\/part \.\/process-\w+\.js "/m)
  })
  it('are made of the command line, the tools of agents, the client and the contract, and of nothing of the service', () => {
    const folders = new Set(parts.sources.map((path) => /^(node_modules\/(@[^/]+\/)?)?[^/]+/.exec(path)?.[0] ?? path))
    const own = [...folders].filter((path) => !path.startsWith('node_modules/') && !path.startsWith('builtin:'))
    expect(own).to.have.members(['cli', 'client', 'contract', 'mcp'])
    // Of the packages that svc names; they bring others.
    const inside = Object.keys(manifest.dependencies).filter((name) => folders.has(`node_modules/${name}`))
    expect(inside).to.have.members([
      ...['@modelcontextprotocol/sdk', 'age-encryption', 'cli-table3', 'commander', 'eventsource-parser'],
      ...['picocolors', 'ws', 'zod'],
    ])
  })
  it('have messages in one language', () => {
    expect(parts.lines.length).to.be.below(640_000)
  })
  it('are each a line of their own that is a comment', () => {
    const lines = parts.lines.split('\n').filter((line) => line !== '')
    expect(lines.length).to.be.above(20)
    for (const line of lines) expect(line).to.match(/^\/\/part \.\/[\w-]+\.js ("|H4sI)/)
  })
})
