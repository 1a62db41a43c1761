/** The test runner: its last line and its exit code. */
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { scaledLimit } from './harness/time-limits.ts'
import { createBlocks, filesOf, withoutShared } from './lanes.ts'

interface Ended {
  code: number | null
  lastLine: string
}

const runTests = (...patterns: string[]): Promise<Ended> => runNode(join(import.meta.dirname, 'run.ts'), ...patterns)

async function runNode(...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, lastLine: output.trimEnd().split('\n').at(-1) ?? '' }
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

  it('runs tests of workflows and of one machine beside all others; those of real nodes come last', () => {
    const workflows = ['test/workflows/deploy.test.ts', 'test/workflows/domain.test.ts']
    const nodes = ['test/one-machine/node.test.ts', 'test/one-machine/start-node.test.ts']
    const machine = [
      'test/one-machine/node/network.test.ts',
      'test/one-machine/start.test.ts',
      'test/workflows/githost-token.test.ts',
      'test/workflows/stuck-runs.test.ts',
    ]
    const others = ['test/api/nodes.test.ts', 'test/run.test.ts']
    const all = [...nodes, ...machine, ...others, ...workflows].toSorted()
    expect(filesOf('workflows', all)).to.deep.equal(workflows)
    expect(filesOf('others', all)).to.deep.equal(others)
    expect(filesOf('machine', all)).to.deep.equal([...machine, ...nodes.toSorted()])
    const late = ['test/workflows/drills.test.ts', 'test/workflows/object-stores.test.ts']
    const pages = ['all-settings', 'behaviour', 'charts', 'palette'].map((name) => `test/dashboard/${name}.test.ts`)
    const sharing = ['test/dashboard/behaviour.test.ts', 'test/dashboard/charts.test.ts', 'test/docs/index.test.ts']
    expect(filesOf('others', [...pages, 'test/docs/index.test.ts']), 'those that share a worker').to.deep.equal([
      ...sharing,
      'test/dashboard/all-settings.test.ts',
      'test/dashboard/palette.test.ts',
    ])
    expect(filesOf('workflows', [...late, ...workflows]), 'what needs servers that are made late').to.deep.equal([
      ...workflows,
      ...late,
    ])
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
    expect(await runNode('--input-type=module', '-e', ofThreeTests)).to.deep.equal({ code: 0, lastLine: '2 1' })
  })
})
