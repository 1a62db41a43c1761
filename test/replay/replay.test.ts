/**
 * Replays stored histories with today's workflow code: a change that would break an open run fails here, without a
 * server.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js'
import {
  bundleWorkflowCode,
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker'
import { expect } from 'chai'
import { paths } from './paths.ts'

const folder = join(import.meta.dirname, 'histories')
/** Histories of former releases: today's code cannot record them again, but such a run may still be open. */
const former = join(import.meta.dirname, 'former')

function* histories() {
  for (const from of [folder, former]) {
    for (const file of readdirSync(from)) {
      yield {
        workflowId: file.replace('.json', ''),
        history: historyFromJSON(JSON.parse(readFileSync(join(from, file), 'utf8'))),
      }
    }
  }
}

/** The result of each history: undefined, or why it does not fit. */
async function replay(workflowBundle: WorkflowBundleWithSourceMap): Promise<Map<string, string | undefined>> {
  const fits = new Map<string, string | undefined>()
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories()))
    fits.set(workflowId, error?.message)
  return fits
}

describe('the workflows of today', function () {
  this.timeout(60_000)
  let bundle: WorkflowBundleWithSourceMap

  before(async function () {
    // A history that does not fit is a result here, so the SDK's warnings are off.
    Runtime.install({
      shutdownSignals: [],
      logger: new DefaultLogger('ERROR', () => undefined),
      telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
    })
    bundle = await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
      logger: new DefaultLogger('WARN'),
    })
  })

  it('have a history of every path', () => {
    expect(
      readdirSync(folder)
        .map((file) => file.replace('.json', ''))
        .toSorted(),
    ).to.deep.equal(Object.keys(paths).toSorted())
  })

  it('replay every history', async () => {
    const fits = await replay(bundle)
    expect([...fits].filter(([, why]) => why !== undefined)).to.deep.equal([])
    expect(fits.size).to.equal(Object.keys(paths).length + readdirSync(former).length)
  })

  it('would not replay the histories of services if a step was another one', async () => {
    const code = bundle.code.replaceAll(/\b(startService|readServicePlan)\b/g, 'readAnotherPlan')
    expect(code === bundle.code, 'the step was found').to.equal(false)
    const fits = await replay({ ...bundle, code })
    const broken = [...fits].filter(([, why]) => why !== undefined).map(([name]) => name)
    expect(broken.toSorted()).to.deep.equal(
      [...fits.keys()]
        .filter(
          (name) => !/^(build|database|git|logical|project|platform|pull-request|schedule|webhook)-|^resync/.test(name),
        )
        .toSorted(),
    )
  })

  it('would not replay a wait that was left out', async () => {
    const code = bundle.code.replace(/return \(0,\s*[\w.]+\.condition\)\([^;]*;/, 'return true;')
    expect(code === bundle.code, 'the wait was found').to.equal(false)
    const fits = await replay({ ...bundle, code })
    expect(fits.get('deploy-waited-for-its-project')).to.be.a('string')
    expect(fits.get('resync')).to.equal(undefined)
  })
})
