/** The checks of the packages: their licences, and the vulnerabilities that the registry reports. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkAudit } from '../../check/packages/audit.ts'
import { checkLicences, isAllowed, makeLicencePage, readPackages } from '../../check/packages/licences.ts'
import { withSourceTree } from './source-tree.ts'

const locked = (packages: object) =>
  JSON.stringify({ name: 'svc', version: '1.0.0', lockfileVersion: 3, requires: true, packages })
const one = (name: string, more: object) => ({
  [`node_modules/${name}`]: {
    version: '1.0.0',
    resolved: `http://127.0.0.1:1/${name}.tgz`,
    integrity: 'sha512-AAAA',
    ...more,
  },
})
const tree = (packages: object, dependencies: object = {}) => {
  const project = { name: 'svc', version: '1.0.0', ...dependencies }
  return { 'package.json': JSON.stringify(project), 'package-lock.json': locked({ '': project, ...packages }) }
}

describe('The licences of packages', () => {
  for (const [expression, may] of [
    ['MIT', true],
    ['(MIT AND Zlib)', true],
    ['MIT OR GPL-3.0-only', true],
    ['MIT AND GPL-3.0-only', false],
    ['GPL-3.0-only', false],
    ['AGPL-3.0-or-later', false],
    ['SEE LICENSE IN LICENSE.txt', false],
    ['UNLICENSED', false],
    ['', false],
  ] as const) {
    it(`${expression === '' ? 'none' : expression} is ${may ? 'allowed' : 'refused'}`, () =>
      expect(isAllowed(expression)).to.equal(may))
  }

  it('names the packages it refuses, those that only build svc among them', async () => {
    const files = tree({
      ...one('good', { license: 'MIT' }),
      ...one('bad', { license: 'GPL-3.0-only', dev: true }),
      ...one('@a/mute', {}),
    })
    expect(await withSourceTree(files, checkLicences)).to.deep.equal({
      ok: false,
      output: '@a/mute@1.0.0 is under a licence that its metadata does not name\nbad@1.0.0 is under GPL-3.0-only',
    })
  })

  it('lists what runs by name, and what builds by number', async () => {
    const nested = {
      'node_modules/good/node_modules/inner': { version: '2.0.0', license: 'ISC' },
      'node_modules/inner': { version: '2.0.0', license: 'ISC', dev: true },
    }
    const page = await withSourceTree(
      tree({ ...one('good', { license: 'MIT' }), ...one('tool', { license: 'MIT', dev: true }), ...nested }),
      async (root) => {
        expect(readPackages(root)).to.have.length(3)
        return makeLicencePage(root)
      },
    )
    expect(page)
      .to.include('## MIT\ngood@1.0.0\n')
      .and.include('## ISC\ninner@2.0.0\n')
      .and.include('by licence: MIT 1.')
    expect(page).not.to.include('tool@')
  })
})

describe('The check for known vulnerabilities', function () {
  this.timeout(60_000)

  /** Runs the check on a project of two packages against a registry with this answer. */
  async function check(
    answer: ((response: ServerResponse) => void) | undefined,
    files: Record<string, string> = dependent,
  ) {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      request.resume()
      if (request.url?.includes('advisories') === true) answer?.(response)
      else response.writeHead(404).end('{}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // the server listens on TCP, so it has a port
    if (answer === undefined) await new Promise((resolve) => server.close(resolve))
    try {
      // npm caches the registry's answers about vulnerabilities.
      const outcome = await withSourceTree(files, (root) =>
        checkAudit(root, {
          ...process.env,
          npm_config_registry: `http://127.0.0.1:${port}/`,
          npm_config_cache: join(root, 'cache'),
        }),
      )
      return { outcome, asked }
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }
  const dependent = tree(
    { ...one('runs', {}), ...one('builds', { dev: true }) },
    { dependencies: { runs: '1.0.0' }, devDependencies: { builds: '1.0.0' } },
  )
  const advisory = (severity: string) => [
    {
      id: 1,
      url: 'https://example.com/1',
      title: 'a hole',
      severity,
      vulnerable_versions: '<2.0.0',
      cwe: [],
      cvss: { score: 0 },
    },
  ]
  const answerWith = (found: object) => (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found))

  it('passes when the registry knows of none', async () => {
    const { outcome, asked } = await check(answerWith({}))
    expect(asked).to.deep.equal(['/-/npm/v1/security/advisories/bulk'])
    expect(outcome).to.deep.equal({ ok: true, output: '' })
  })

  for (const severity of ['high', 'critical']) {
    it(`fails for one of severity ${severity} in what runs`, async () => {
      const { outcome } = await check(answerWith({ runs: advisory(severity) }))
      expect(outcome.ok).to.equal(false)
      expect(outcome.output).to.match(new RegExp(`^runs .*: ${severity}`))
    })
  }

  it('passes for a lesser one, and says so', async () => {
    const { outcome } = await check(answerWith({ runs: advisory('moderate') }))
    expect(outcome).to.deep.equal({ ok: true, output: '', note: '1 of severity moderate or low: npm audit' })
  })

  it('passes for one in what only builds svc', async () => {
    expect((await check(answerWith({ builds: advisory('critical') }))).outcome).to.deep.equal({ ok: true, output: '' })
  })

  for (const [what, answer] of [
    ['has no such question', (response: ServerResponse) => void response.writeHead(405).end()],
    ['is broken', (response: ServerResponse) => void response.writeHead(503).end('{}')],
    ['says nonsense', (response: ServerResponse) => void response.writeHead(200).end('<h1>proxy</h1>')],
    ['is not there', undefined],
  ] as const) {
    it(`passes when the registry ${what}, and says that it was not answered`, async () => {
      const { outcome } = await check(answer)
      expect(outcome.ok, outcome.output).to.equal(true)
      expect(outcome.note).to.match(/^not answered: ./)
    })
  }

  it('fails for a project without a lock file: it has nothing to ask about', async () => {
    const { 'package.json': project } = dependent
    expect((await check(answerWith({}), { 'package.json': project })).outcome.ok).to.equal(false)
  })
})
