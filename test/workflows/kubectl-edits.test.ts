/** Services that are edited past the api: what that deploys, and what it adds to pending changes. */
import { expect } from 'chai'
import { workflowId } from '../../durable/ids.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { withSpec } from '../../kinds/apps/spec/draft.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { appState } from '../../kinds/apps/state.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { eventually } from '../cluster/eventually.ts'
import { type TestRecords, createApp, deploy, until, untilState } from '../harness/records.ts'
import { useClient } from '../harness/temporal-client.ts'
import { attemptIn, edit, liveDeployment, openWorld } from './service-world.ts'

/** The text of the annotation: `text` as it is, or the record's attempt with this one field in place of its own. */
const madeOf = ({ metadata }: App, text: string): string =>
  text.startsWith('"')
    ? JSON.stringify({
        ...(JSON.parse(metadata.annotations?.[annotations.attempt] ?? '') as object),
        ...(JSON.parse(`{${text}}`) as object),
      })
    : text

describe('a service that kubectl edits', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    ;({ records, project } = await openWorld())
  })

  it('an edit by kubectl with nothing pending is a deploy', async () => {
    const app = await createApp(records, project)
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    await edit(records, app, () => ({ source: { image: { image: 'svc/hello:2' } } }))
    const ready = await until(
      records.apps,
      app,
      (record) => record !== undefined && appState(record).state === 'ready' && record.status?.image === 'svc/hello:2',
      'deployed',
    )
    expect(viewOf(ready).attempt?.operation).to.equal('kubectl')
    expect(ready.metadata.annotations?.[annotations.lastDeployed]).to.include('svc/hello:2')
  })

  it('an edit by kubectl while variables are pending joins them, and an Event says so', async () => {
    const app = await createApp(records, project)
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    await records.apps.edit(app.metadata.name, (current) =>
      withSpec(current, { ...current.spec, configData: { A: '1' } }),
    )
    await edit(records, app, () => ({ source: { image: { image: 'svc/hello:2' } } }))
    await until(
      records.apps,
      app,
      (record) => record?.metadata.annotations?.[annotations.pendingChanges] === 'settings,variables',
      'settings,variables',
    )
    expect((await liveDeployment(records, app))?.spec.template.spec.containers[0]?.image).to.equal('svc/hello:1')
  })

  for (const [name, text] of [
    [annotations.lastDeployed, 'null'],
    [annotations.lastDeployed, '{}'],
    [annotations.attempt, 'nonsense'],
    [annotations.attempt, '"at": "yesterday"'],
    [annotations.attempt, `"title": "${'x'.repeat(1025)}"`],
    [annotations.attempt, '"supersedes": "../secrets/x"'],
  ] as const)
    it(`${name} that kubectl made ${text.slice(0, 30)} is named in the condition and applies nothing; the next deploy repairs it`, async () => {
      const app = await createApp(records, project)
      await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
      const before = await liveDeployment(records, app)
      await records.apps.edit(app.metadata.name, (current) => {
        const edited = withSpec(current, { ...current.spec, port: current.spec.port + 1 })
        return {
          ...edited,
          metadata: {
            ...edited.metadata,
            annotations: { ...edited.metadata.annotations, [name]: madeOf(edited, text) },
          },
        }
      })
      const refused = await until(
        records.apps,
        app,
        (seen) => seen?.status?.conditions?.some(({ reason }) => reason === 'Refused') === true,
        `${name} named`,
      )
      expect(refused.status?.conditions?.[0]?.message).to.match(
        /cannot be read: .*; what runs is left as it is; deploy to write it anew$/,
      )
      expect((await liveDeployment(records, app))?.metadata.annotations).to.deep.equal(before?.metadata.annotations)
      const ready = await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
      expect(viewOf(ready).pendingChanges).to.deep.equal([])
      expect((await liveDeployment(records, app))?.metadata.annotations).to.not.deep.equal(before?.metadata.annotations)
    })

  for (const text of ['"at": "yesterday"', `"title": "${'x'.repeat(1025)}"`])
    it(`a ready service whose attempt kubectl gave ${text.slice(0, 30)} is deployed again, and its run ends`, async () => {
      const app = await createApp(records, project)
      const before = attemptIn(await untilState(records, app, 'ready', attemptIn(await deploy(records, app))))
      await records.apps.edit(app.metadata.name, (current) => ({
        ...current,
        metadata: {
          ...current.metadata,
          annotations: { ...current.metadata.annotations, [annotations.attempt]: madeOf(current, text) },
        },
      }))
      const ready = await until(
        records.apps,
        app,
        (seen) => seen !== undefined && ![before, ''].includes(attemptIn(seen)) && appState(seen).state === 'ready',
        'deployed again',
      )
      expect(viewOf(ready).attempt?.operation).to.equal('kubectl')
      const run = (await useClient()).workflow.getHandle(workflowId('app', app.metadata.name))
      await eventually('the end of the run', async () => (await run.describe()).status.name === 'COMPLETED', 30_000)
    })

  it('a service applied by kubectl with deploy.enabled is deployed', async () => {
    const app = await createApp(records, project)
    await records.apps.edit(app.metadata.name, (current) => ({
      ...current,
      metadata: { ...current.metadata, annotations: {}, finalizers: [] },
      spec: { ...current.spec, deploy: { ...current.spec.deploy, enabled: true } },
    }))
    const ready = await untilState(records, app, 'ready')
    expect(ready.metadata.finalizers, 'so that a deletion takes its copies along').to.include('svc.svc.dev/app')
  })

  it('a draft that kubectl enables is deployed', async () => {
    const app = await createApp(records, project)
    await edit(records, app, (spec) => ({ deploy: { ...spec.deploy, enabled: true } }))
    const ready = await untilState(records, app, 'ready')
    expect(viewOf(ready).attempt?.operation).to.equal('kubectl')
    expect(viewOf(ready).pendingChanges).to.deep.equal([])
  })
})
