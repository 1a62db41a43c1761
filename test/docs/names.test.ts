/** The pages name files and scripts that exist: code changes faster than pages. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md', { cwd: root }),
].map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}))

/** Reference pages that are searched rather than read from top to bottom. */
const lookedUp = ['docs/conditions.md', 'docs/licences.md', 'CHANGELOG.md']

/** Paths in code spans that begin with a folder of the project and end like a file, or like a folder. */
function namedFiles(text: string): string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  const paths = spans
    .flatMap((span) => span.split(' '))
    .filter((word) => /^[a-z][\w-]*\/[\w./-]*(\.(ts|mjs|ya?ml|json|sh|md)|\/)$/.test(word))
  return paths.filter((path) => existsSync(join(root, path.split('/')[0] ?? '')) && !path.startsWith('dist/'))
}

/** Guides whose readers look for the functions, types and constants that they name. */
const throughTheCode = [
  'CONTRIBUTING.md',
  'docs/guides/adding-a-workflow.md',
  'docs/guides/adding-an-operation.md',
  'docs/guides/how-a-request-travels.md',
]
const sources = globSync('*/**/*.{ts,tsx,mjs}', {
  cwd: root,
  exclude: (name) => ['node_modules', 'dist'].includes(name),
})

/** Words in code spans that are written as names in code are: `markReady`, `Caches`, `apply(…)`. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/`([A-Za-z]\w*)(?:\([^`]*\))?`/g)]
    .map(([, name = '']) => name)
    .filter((name) => /[a-z][A-Z]|^[A-Z][a-z]/.test(name))

describe('the pages of this project', () => {
  it('name files that exist', () => {
    const named = pages.flatMap(({ path, text }) => namedFiles(text).map((file) => `${path}: ${file}`))
    expect(named).to.have.length.above(50)
    expect(named.filter((entry) => !existsSync(join(root, entry.split(': ')[1] ?? '')))).to.deep.equal([])
  })

  it('that guide through the code name what is in it', () => {
    const code = sources.map((path) => readFileSync(join(root, path), 'utf8')).join('\n')
    const named = throughTheCode.flatMap((path) => namesIn(pages.find((page) => page.path === path)?.text ?? ''))
    expect(named).to.have.length.above(40)
    expect(named.filter((name) => !code.includes(name))).to.deep.equal([])
  })

  it('of security name what limits each danger: code or tests', () => {
    const text = pages.find(({ path }) => path === 'docs/security.md')?.text ?? ''
    const dangers = text
      .slice(text.indexOf('## What each could do'), text.indexOf('## What svc itself'))
      .split('\n### ')
      .slice(1)
    expect(dangers).to.have.length.above(8)
    // Every danger names a file that limits it, or says in bold that the component is trusted in full.
    for (const danger of dangers)
      expect(namedFiles(danger).length + danger.split('**').length - 1, danger.split('\n')[0]).to.be.above(0)
  })

  it('name npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    const named = pages.flatMap(({ text }) =>
      [...text.matchAll(/`?npm (start|test|run ([a-z]+(?::[a-z]+)?))/g)].map(
        ([, direct = '', script]) => script ?? direct,
      ),
    )
    expect(named).to.include.members(['start', 'test', 'test:kill', 'check'])
    expect(named.filter((script) => scripts[script] === undefined)).to.deep.equal([])
  })

  it('are not longer than a sitting', () => {
    for (const { path } of pages)
      expect(statSync(join(root, path)).size, path).to.be.below(lookedUp.includes(path) ? 50_000 : 20_000)
  })
})
