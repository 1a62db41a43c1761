/** The other checks detect what they are for: types, lint, unused code, generated files. */
import { expect } from 'chai'
import { findDifferences, writeDifferences } from '../../check/generated/generated.ts'
import type { Generator } from '../../check/generated/generators.ts'
import { steps } from '../../check/steps.ts'
import { type Files, withSourceTree } from './source-tree.ts'

async function check(name: string, files: Files) {
  const step = steps.find((it) => it.name === name)
  if (step === undefined) throw new Error(`there is no check ${name}`)
  return await withSourceTree(files, (root) => step.run(root))
}

const clean: Files = {
  'kinds/a.ts': '/** A. */\nexport const a = 1\n',
  'check/run.ts': "import { a } from '../kinds/a.ts'\n\nconsole.log(a)\n",
}

describe('the checks', function () {
  this.timeout(120_000)

  it('pass a tree without a fault', async () => {
    for (const name of ['types', 'import boundaries', 'lint']) {
      expect(await check(name, clean), name).to.deep.include({ ok: true })
    }
  })

  it('types: a wrong type fails, naming file and line', async () => {
    const { ok, output } = await check('types', { 'kinds/a.ts': "export const a: number = 'x'\n" })
    expect(ok).to.equal(false)
    expect(output).to.include('kinds/a.ts(1,14)')
  })

  it('import boundaries: a breach is printed with its meaning and its way', async () => {
    const { ok, output } = await check('import boundaries', {
      'contract/a.ts': "import '../kinds/b.ts'\n",
      'kinds/b.ts': 'export {}\n',
    })
    expect(ok).to.equal(false)
    expect(output).to.equal(
      'floor-contract: contract/ may import only contract: move what both need a floor down.\n  contract/a.ts -> kinds/b.ts',
    )
  })

  const lines = (count: number, line: string) => `${line}\n`.repeat(count)
  const faults: [string, string][] = [
    ['no-floating-promises', 'const wait = async () => 1\nwait()\n'],
    ['no-misused-promises', 'const wait = async () => true\nexport const x = wait() ? 1 : 2\n'],
    ['no-explicit-any', 'export const x = (y: any) => y as unknown\n'],
    ['no-unsafe-assignment', "export const x: string = JSON.parse('1')\n"],
    ['no-non-null-assertion', 'export const x = (y: string | null) => y!.length\n'],
    ['max-lines', lines(361, 'console.log(1)')],
    ['max-lines-per-function', `export function x() {\n${lines(81, '  console.log(1)')}}\n`],
    ['no-default-export', 'export default 1\n'],
    ['consistent-type-imports', "import { a } from './a.ts'\nexport type X = typeof a\n"],
    ['no-duplicates', "import { a } from './a.ts'\nimport type { A } from './a.ts'\nexport const x: A = a\n"],
    ['no-import-type-side-effects', "import { type A } from './a.ts'\nexport type X = A\n"],
    ['no-unused-vars', 'const x = 1\nexport {}\n'],
    [
      'switch-exhaustiveness-check',
      "export function x(y: 'a' | 'b') {\n  switch (y) {\n    case 'a':\n      return 1\n  }\n  return 2\n}\n",
    ],
  ]
  it('lint: each fault the house names is found', async () => {
    const files = Object.fromEntries(faults.map(([rule, text]) => [`contract/${rule}.ts`, text]))
    const { ok, output } = await check('lint', { ...files, 'contract/a.ts': 'export type A = 1\nexport const a = 1\n' })
    expect(ok).to.equal(false)
    const found = output.split('\n')
    for (const [rule] of faults) {
      expect(
        found.some((line) => line.startsWith(`contract/${rule}.ts:`) && line.includes(rule)),
        rule,
      ).to.equal(true)
    }
  })

  it('format: a file that is written in another style fails, by its name', async () => {
    const { ok, output } = await check('format', {
      'kinds/a.ts': 'export const a = "1";\n',
      'kinds/b.ts': "export const b = '1'\n",
    })
    expect(ok).to.equal(false)
    expect(output).to.include('kinds/a.ts').and.not.to.include('kinds/b.ts')
  })

  it('unused code: an unused file and an unused export are found', async () => {
    const files: Files = {
      ...clean,
      'kinds/a.ts': 'export const a = 1\nexport const forgotten = 2\n',
      'kinds/alone.ts': 'export const x = 1\n',
    }
    const { ok, output } = await check('unused code', files)
    expect(ok).to.equal(false)
    expect(output).to.include('kinds/alone.ts').and.to.include('forgotten')
  })

  it('generated files: a missing one fails', async () => {
    const { ok, output } = await check('generated files', {})
    expect(ok).to.equal(false)
    expect(output).to.include('crds/svcapps.yaml is missing: run npm run generate')
  })

  it('generated files: an edited one is found, and written anew', async () => {
    const generator: Generator = { name: 'one', make: () => new Map([['a/b.txt', 'right\n']]) }
    await withSourceTree({ 'a/b.txt': 'wrong\n' }, async (root) => {
      const differences = await findDifferences(root, [generator])
      expect(differences).to.deep.equal([{ path: 'a/b.txt', text: 'right\n', why: 'changed' }])
      await writeDifferences(root, differences)
      expect(await findDifferences(root, [generator])).to.deep.equal([])
    })
  })
})
