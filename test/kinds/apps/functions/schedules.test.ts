/** What is kept of the runs of a schedule: each once, few of them, and what came to nothing in between. */
import { expect } from 'chai'
import { appSpec } from '../../../../kinds/apps/kind.ts'
import { failuresOf, type FunctionRun, schedulesOf, withRun } from '../../../../kinds/apps/functions/schedules.ts'

const at = (time: string) => `2026-11-23T${time}:00.000Z`
const run = (time: string, more: Partial<FunctionRun> = {}): FunctionRun => ({
  id: `function/a/tick-${time}`,
  release: 'a-00001',
  planned: at(time),
  phase: 'Succeeded',
  lateMs: 100,
  ms: 50,
  status: 200,
  message: 'answered 200',
  ...more,
})
const everyMinute = '* * * * *'
const withRunOf = (runs: readonly FunctionRun[], each: FunctionRun) => withRun(runs, each, { schedule: everyMinute })
const described = (runs: readonly FunctionRun[]) =>
  runs.map(({ planned, phase, times = 1 }) => `${planned.slice(11, 16)} ${phase} ${times}`)

describe('the kept runs of a schedule', () => {
  it('have each run once, oldest first, and the newest ten', () => {
    const noted = ['10:02', '10:01', '10:02'].reduce<FunctionRun[]>(
      (runs, time) => withRunOf(runs, run(time, { release: time })),
      [],
    )
    expect(described(noted)).to.deep.equal(['10:01 Succeeded 1', '10:02 Succeeded 1'])
    const many = Array.from({ length: 20 }, (_, index) => run(`10:${10 + index}`))
    const kept = many.reduce<FunctionRun[]>((runs, each) => withRunOf(runs, each), [])
    expect(kept.map(({ id }) => id)).to.deep.equal(many.slice(-10).map(({ id }) => id))
  })

  it('keep what is known when a run is noted a second time', () => {
    const noted = withRunOf([run('10:00')], run('10:00', { phase: 'Unknown', message: 'the worker ended' }))
    expect(noted).to.deep.equal([run('10:00')])
  })

  it('say which planned times passed while the run before went on, and which while nothing ran', () => {
    const long = run('10:00', { ms: 119_000 })
    expect(described(withRunOf([long], run('10:02')))).to.deep.equal([
      '10:00 Succeeded 1',
      '10:01 Skipped 1',
      '10:02 Succeeded 1',
    ])
    const afterOutage = withRunOf([run('10:00')], run('11:01', { lateMs: 3_540_000 }))
    expect(described(afterOutage)).to.deep.equal(['10:00 Succeeded 1', '10:01 Missed 60', '11:01 Succeeded 1'])
    expect(afterOutage[1]?.until).to.equal(at('11:00'))
    expect(described(withRunOf(afterOutage, run('12:01'))).slice(-2)).to.deep.equal([
      '11:02 Skipped 59',
      '12:01 Succeeded 1',
    ])
  })

  it('miss nothing between the runs of two releases, nor beside a run by hand', () => {
    expect(described(withRunOf([run('10:00')], run('10:30', { release: 'a-00002' })))).to.have.length(2)
    const byHand = { id: 'function/a/tick-by-hand', planned: '2026-11-23T10:00:30.000Z' }
    const noted = [run('10:00', byHand), run('10:01')].reduce<FunctionRun[]>(
      (runs, each) => withRunOf(runs, each),
      [run('10:00')],
    )
    expect(described(noted)).to.deep.equal(['10:00 Succeeded 1', '10:00 Succeeded 1', '10:01 Succeeded 1'])
  })

  it('say which planned times passed since a release runs and before its first run', () => {
    const since = '2026-11-23T10:00:20.000Z'
    const first = (runs: readonly FunctionRun[], time: string) =>
      described(withRun(runs, run(time, { release: 'a-00002' }), { schedule: everyMinute, since }))
    expect(first([], '10:01')).to.deep.equal(['10:01 Succeeded 1'])
    expect(first([], '10:04')).to.deep.equal(['10:01 Missed 3', '10:04 Succeeded 1'])
    expect(first([run('09:30')], '10:02')).to.deep.equal(['09:30 Succeeded 1', '10:01 Missed 1', '10:02 Succeeded 1'])
    const begunBefore = run('10:00', { ms: 70_000 })
    expect(first([begunBefore], '10:02')).to.deep.equal(['10:00 Succeeded 1', '10:01 Skipped 1', '10:02 Succeeded 1'])
    const ofFormer = [run('10:01')]
    expect(first(ofFormer, '10:03')).to.deep.equal(['10:01 Succeeded 1', '10:02 Missed 1', '10:03 Succeeded 1'])
  })

  it('have short messages of one line', () => {
    const [noted] = withRunOf([], run('10:00', { message: `a\n\nb ${'c'.repeat(400)}` }))
    expect(noted?.message)
      .to.match(/^a b c+$/)
      .and.to.have.length(300)
  })
})

describe('the schedules of a release', () => {
  it('have no path and no payload', () => {
    const trigger = { name: 'nightly', schedule: '@daily', path: '/secret', payload: '"secret"' }
    const spec = appSpec.parse({
      project: 'proj-00000001',
      environment: 'production',
      source: { function: { triggers: [trigger] } },
    })
    expect(schedulesOf({ name: 'a', uid: 'u' }, spec, 'a-00001')).to.deep.equal([
      {
        app: 'a',
        uid: 'u',
        project: 'proj-00000001',
        environment: 'production',
        trigger: 'nightly',
        schedule: '@daily',
        release: 'a-00001',
      },
    ])
  })
})

describe('the failures of a schedule', () => {
  const failed = (time: string, more: Partial<FunctionRun> = {}) => run(time, { phase: 'Failed', ...more })
  for (const [words, runs, count] of [
    ['none without a run', [], 0],
    ['those since one that succeeded', [failed('10:00'), run('10:01'), failed('10:02'), failed('10:03')], 2],
    ['not those that were skipped', [failed('10:00'), run('10:01', { phase: 'Skipped' })], 1],
    ['each of several that were missed', [run('10:00'), run('10:01', { phase: 'Missed', times: 7 })], 7],
    ['those of the newest release', [failed('10:00', { release: 'a-00000' }), failed('10:01')], 1],
  ] as const)
    it(`are ${words}`, () => expect(failuresOf(runs)).to.equal(count))
})
