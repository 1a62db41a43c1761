/** The test runner: its last line and its exit code. */
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { scaledLimit } from './harness/time-limits.ts'
import { createBlocks } from './lanes.ts'
import { withoutShared } from './queue.ts'

interface Ended {
  code: number | null
  output: string
  lastLine: string
}

async function runTests(...patterns: string[]): Promise<Omit<Ended, 'output'>> {
  const { code, lastLine } = await runNode(join(import.meta.dirname, 'run.ts'), ...patterns)
  return { code, lastLine }
}

async function runNode(...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output, lastLine: output.trimEnd().split('\n').at(-1) ?? '' }
}

describe('npm test', function () {
  this.timeout(60_000)

  it('ends with the counts, and takes part of a path as a pattern', async () => {
    const { code, lastLine } = await runTests('test/kinds/schema/crd.test.ts')
    expect(lastLine).to.match(/^[1-9][0-9]* passed, 0 failed$/)
    expect(code).to.equal(0)
  })

  it('ends what hangs after several times the limit of its suite', function () {
    expect(this.runnable().timeout()).to.equal(scaledLimit(60_000))
  })

  it('takes part of a title as a pattern', async () => {
    expect(await runTests('refuses a union, naming the field')).to.deep.equal({
      code: 0,
      lastLine: '1 passed, 0 failed',
    })
  })

  it('fails when nothing matches', async () => {
    expect(await runTests('no test is called this'.split('').toReversed().join(''))).to.deep.equal({
      code: 1,
      lastLine: '0 passed, 1 failed',
    })
  })

  it('reports all files as one run, and what cannot be loaded or throws later as a failed test', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-run-'))
    const texts = [
      `describe('one', () => it('passes', () => {}))`,
      `throw new Error('no such module')`,
      `describe('three', () => { it('fails', () => { throw new Error('as it should') }); it.skip('waits', () => {}) })`,
      `const wait = () => new Promise(() => setTimeout(() => { throw new Error('by itself') }))
       describe('four', () => it('throws later', wait))`,
      `describe('five', () => it('passes too', () => {}))`,
    ]
    const files = texts.map((_, index) => join(folder, `${index}.test.mjs`))
    for (const [index, text] of texts.entries()) writeFileSync(files[index] ?? '', text)
    const run = `
      import { runFiles } from './test/run-files.ts'
      const files = ${JSON.stringify(files)}
      const seen = []
      const { passes, failures, pending } = await runFiles((all) => all.on('fail', ({ title }) => seen.push(title)), {
        next: async () => files.shift(), before: async () => {}, begin: () => {}, grep: undefined,
      })
      console.log([passes, failures, pending, ...seen].join(' '))`
    const { output, lastLine } = await runNode('--input-type=module', '-e', run)
    rmSync(folder, { recursive: true })
    expect(lastLine).to.equal('2 3 1 can be loaded fails throws later')
    const summary = output.slice(output.indexOf('2 passing'))
    for (const text of ['1 pending', '3 failing', 'no such module', 'as it should', 'by itself'])
      expect(summary).to.include(text)
    expect(output, 'the numbers of failures go on').to.match(/ 1\) can be loaded[^]* 2\) fails[^]*2 passing/)
  })

  it('knows each test of pages that does not share the worker', () => {
    const root = join(import.meta.dirname, '..')
    const own = globSync('test/dashboard/*.test.ts', { cwd: root }).filter((file) =>
      /startTestDashboard\(.*, async \(\)/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(own.toSorted()).to.deep.equal(withoutShared)
  })

  it('shows each suite of a lane as a whole, and keeps its summary and counts', () => {
    const shown: string[] = []
    const begun: string[] = []
    const { take, end } = createBlocks(
      (block) => shown.push(block),
      (suite) => begun.push(suite),
    )
    for (const line of [
      '',
      '  one',
      '    \u001b[32m✔\u001b[39m does',
      '',
      '  two',
      '    1) does not',
      '',
      '  1 passing (2s)',
      '  1 failing',
      '',
      '  1) two',
      '1 passed, 1 failed',
    ])
      take(line)
    expect(shown).to.deep.equal(['', '  one\n    \u001b[32m✔\u001b[39m does\n', '  two\n    1) does not\n'])
    expect(begun).to.deep.equal(['one', 'two'])
    expect(end()).to.deep.equal({
      summary: '  1 passing (2s)\n  1 failing\n\n  1) two',
      counts: { passed: 1, failed: 1 },
    })
  })

  it('does not count the making of a server against the test that waits for it', async () => {
    const ofThreeTests = `
      import Mocha from 'mocha'
      import { setTimeout as sleep } from 'node:timers/promises'
      import { keepTimesOf, logProgress } from './test/harness/servers.ts'
      const mocha = new Mocha({ timeout: 100 })
      const test = (title, run) => mocha.suite.addTest(new Mocha.Test(title, run))
      test('made', async () => {
        logProgress('building')
        await sleep(200)
      })
      test('not made', () => sleep(200))
      test('after one that is over', async () => {
        await sleep(1)
      })
      const runner = mocha.run(() => console.log(runner.stats.passes, runner.stats.failures))
      keepTimesOf(runner)
      runner.on('test end', () => logProgress('still building'))`
    expect(await runNode('--input-type=module', '-e', ofThreeTests)).to.include({ code: 0, lastLine: '2 1' })
  })
})
