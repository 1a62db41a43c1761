/** The examples of docs/guides/functions.md as they are written: code in its runner, called by a schedule; commands. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { AppSpec } from '../../kinds/apps/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { openDesk } from '../cli/run-svc.ts'
import { createApp, createProject, type TestRecords, useRecords } from '../harness/records.ts'
import { startRunner, type StartedRunner } from '../harness/runner.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { deployed, runNow, triggerOf, untilRuns } from './schedule-world.ts'
import { untilSetUp } from './service-world.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/guides/functions.md'), 'utf8')
const codeOf = (language: string): string => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? ''
const commands = page.split('\n').flatMap((line) => /^ {4}npx svc (.*)$/.exec(line)?.[1] ?? [])

/** As a shell takes them apart: single quotes hold a word together. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')

describe('the guide of functions', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let worker: TestWorker | undefined
  let runner: StartedRunner | undefined

  before(async () => {
    records = await useRecords()
  })
  afterEach(async () => {
    await worker?.stop('SIGKILL')
    await runner?.stop('SIGKILL')
  })

  /** The runs of the schedule of the guide, with this payload. */
  const runWith = async (mode: 'http' | 'event', runtime: 'node' | 'python', payload: string) => {
    const code = codeOf(runtime === 'node' ? 'js' : runtime)
    runner = await startRunner(runtime, runtime === 'node' ? process.execPath : 'python3', code, mode)
    await withoutWorker()
    worker = await startTestWorker({}, undefined, { SVC_FUNCTION_ENDPOINT: new URL(runner.url).host })
    project = await createProject(records)
    await untilSetUp(records, project)
    const source: AppSpec['source'] = {
      function: { runtime, mode, code, triggers: [triggerOf('nightly', '0 3 * * *', { payload })] },
    }
    const app = await deployed(records, await createApp(records, project, { source }))
    await runNow(app, 'nightly')
    const [run] = await untilRuns(records, app, 'nightly', 1)
    return run
  }

  it('has a job that gets its schedule as an event', async () => {
    const payload = /--payload '([^']+)'/.exec(page)?.[1] ?? ''
    const run = await runWith('event', 'node', payload)
    expect(run).to.deep.include({ phase: 'Succeeded', status: 204 })
    expect(runner?.said()).to.include(`${run?.id}: the report of yesterday`)
  })

  it('has a job whose error fails the run', async () => {
    expect(await runWith('event', 'node', '{"day":"tomorrow"}')).to.deep.include({ phase: 'Failed', status: 500 })
  })

  it('has a function that distinguishes schedules from other requests', async () => {
    expect(await runWith('http', 'python', '')).to.deep.include({ phase: 'Succeeded', status: 204 })
    const answer = await fetch(`${runner?.url}/hello?name=me`)
    expect(await answer.json()).to.deep.equal({ path: '/hello', name: 'me' })
  })

  it('has commands that the command line takes', async () => {
    const desk = await openDesk()
    expect(commands).to.have.length(10)
    for (const command of commands) {
      // The service knows nothing: every command gets to its question, and none is wrong usage.
      const { code, err } = await desk.signedIn(
        wordsOf(command.replace(/\b(report\.mjs|greet\.py)\b/, import.meta.filename)),
      )
      expect(code, `${command}: ${err}`).not.to.equal(2)
    }
    await desk.close()
  })
})
