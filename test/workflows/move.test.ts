/**
 * A service that moves: set up and ready in the other environment first, then all its objects in the previous one are
 * removed.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { saveAndDeploy } from '../../records/apps/save-settings.ts'
import {
  createApp,
  createProject,
  deploy,
  freeNames,
  type TestRecords,
  until,
  untilGone,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { useWorker } from '../harness/worker.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

describe('a service that moves', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    records = await useRecords()
    await useWorker()
    project = await createProject(records, { environments: ['production', 'staging'] })
    await untilSetUp(records, project)
  })

  const running = async () => {
    const app = await createApp(records, project, { configData: { GREETING: 'hello' } })
    return untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
  }
  const move = (app: App, environment: string, image = 'svc/hello:1') =>
    saveAndDeploy(
      { ...records, hostTrouble: async () => undefined, volumeOf: () => undefined, names: freeNames },
      app,
      { environment, image },
      { actor: 'tester', requestId: 'test', title: 'Moved' },
    )
  /** The kinds of the objects that exist for the service in an environment. */
  const madeIn = async (app: App, environment: string): Promise<string[]> => {
    const types = [coreTypes.deployment, coreTypes.service, coreTypes.configMap, coreTypes.serviceAccount]
    const query = {
      namespace: `${project.metadata.name}-${environment}`,
      labelSelector: `${labels.owner}=${app.metadata.uid ?? ''}`,
      metadataOnly: true,
    }
    const lists = await Promise.all(types.map((type) => records.client.list<KubeObject>(type, query)))
    return lists
      .flatMap(({ items }, at) =>
        items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(() => types[at]?.kind ?? ''),
      )
      .toSorted()
  }
  const whole = ['ConfigMap', 'Deployment', 'Service', 'ServiceAccount']

  it('runs in the other environment, and nothing of it is left behind', async () => {
    const app = await running()
    const accepted = await move(app, 'staging')
    expect(accepted.metadata.labels).to.include({ [labels.environment]: 'staging' })
    const there = await untilState(records, app, 'ready', attemptIn(accepted))
    expect(await madeIn(app, 'staging')).to.deep.equal(whole)
    expect(await madeIn(app, 'production')).to.deep.equal([])
    expect([there.status?.targetNamespace, there.status?.leaving]).to.deep.equal([
      `${project.metadata.name}-staging`,
      [],
    ])
  })

  it('stays where it is until it is ready there, and can move back from an attempt that never was', async () => {
    const app = await running()
    await move(app, 'staging', 'does-not-exist:1')
    const waiting = await until(
      records.apps,
      app,
      (record) => appState(record ?? app).message.includes('cannot be pulled'),
      'waiting for the image',
    )
    expect(waiting.status?.leaving).to.deep.equal([`${project.metadata.name}-production`])
    expect(await madeIn(app, 'production')).to.deep.equal(whole)
    const back = await move(app, 'production')
    await untilState(records, app, 'ready', viewOf(back).attempt?.record)
    expect(await madeIn(app, 'production')).to.deep.equal(whole)
    expect(await madeIn(app, 'staging')).to.deep.equal([])
  })

  it('leaves nothing anywhere when it is deleted on the way', async () => {
    const app = await running()
    await move(app, 'staging', 'does-not-exist:1')
    await until(
      records.apps,
      app,
      (record) => appState(record ?? app).message.includes('cannot be pulled'),
      'waiting for the image',
    )
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilGone(records, app)
    expect([await madeIn(app, 'production'), await madeIn(app, 'staging')]).to.deep.equal([[], []])
  })
})
