/** Queries to the log store: a caller's text is always quoted. */
import { expect } from 'chai'
import { selectorOf, serviceOfPod } from '../../../outside/logs/logql.ts'

const namespaces = ['proj-0a0a0a0a-production']

describe('A question to the log store', () => {
  it('names the namespaces, and the pods of one service or of all', () => {
    expect(selectorOf({ namespaces: [...namespaces, 'proj-0a0a0a0a-staging'] })).to.equal(
      '{namespace=~"proj-0a0a0a0a-production|proj-0a0a0a0a-staging",pod=~".+-[a-z0-9]+-[a-z0-9]{5}"}',
    )
    expect(selectorOf({ namespaces, service: 'bold-otter' })).to.include('pod=~"bold-otter-[a-z0-9]+-[a-z0-9]{5}"')
  })

  const searches: [string, string][] = [
    ['timeout', '|~ "(?i)timeout"'],
    ['a.b*(c)', '|~ "(?i)a\\\\.b\\\\*\\\\(c\\\\)"'],
    ['"} |= "', '|~ "(?i)\\"\\\\} \\\\|= \\""'],
    ['`\\', '|~ "(?i)`\\\\\\\\"'],
    ['a\nb', '|~ "(?i)a\\nb"'],
    ['\ud800', '|~ "(?i)\ufffd"'],
  ]
  for (const [q, part] of searches)
    it(`searches for ${JSON.stringify(q)} and nothing else`, () =>
      expect(selectorOf({ namespaces, q }).endsWith(part)).to.equal(true))

  it('lets every spelling of a level through, and numbers', () => {
    expect(selectorOf({ namespaces, level: 'WARNING' })).to.match(
      /\(\?i\)\(warn\|warning\|wrn\|\(level\|severity\|lvl\)/,
    )
    expect(selectorOf({ namespaces, level: 'nonsense' })).not.to.include('|~')
  })

  it('knows the service of a pod by its name', () => {
    expect(serviceOfPod('bold-otter-6d4cf56db6-x7k2p')).to.equal('bold-otter')
    expect(serviceOfPod('bold-otter-0')).to.equal(undefined)
  })
})
