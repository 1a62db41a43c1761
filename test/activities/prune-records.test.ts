/** Old records of deploys go with their frozen secrets, and never with those that a kept one uses. */
import { expect } from 'chai'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import { pruneRecords } from '../../activities/apps/remove-objects.ts'
import { createSweeps, type SweepNeeds } from '../../activities/resync/sweep.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { defined } from '../../contract/defined.ts'
import { deploymentRecordsKept } from '../../contract/limits.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { buildSpec } from '../../kinds/builds/kind.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import { eventually } from '../cluster/eventually.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { behindStore, createApp, createProject, type TestRecords, useRecords } from '../harness/records.ts'

describe('the records of old deploys', function () {
  this.timeout(60_000)
  let records: TestRecords
  let app: App

  before(async () => {
    records = await useRecords()
  })
  beforeEach(async () => {
    app = await createApp(records, await createProject(records))
  })
  afterEach(async () => {
    const selector = { namespace: systemNamespace, labelSelector: `${labels.owner}=${app.metadata.uid ?? ''}` }
    for (const { metadata } of (await records.client.list<KubeObject>(coreTypes.secret, selector)).items)
      await records.client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: metadata.name })
    await forgetRecords()
  })

  const nameOf = (number: number): string => `${app.metadata.name}-d${String(number).padStart(2, '0')}`

  /** Deploys of the service, numbered from `first` on, each frozen with the secrets of the one that is named. */
  async function deployed(releases: readonly number[], first = 0): Promise<void> {
    for (const [place, release] of releases.entries()) {
      const number = first + place
      if (number === release) await freeze(nameOf(number))
      await records.client.create<Deployment>(resourceTypes.deployment, {
        apiVersion,
        kind: resourceTypes.deployment.kind,
        metadata: {
          name: nameOf(number),
          namespace: systemNamespace,
          labels: { [labels.app]: app.metadata.name },
          annotations: { [annotations.release]: nameOf(release) },
        },
        spec: {
          app: app.metadata.name,
          project: app.spec.project,
          environment: app.spec.environment,
          image: 'svc/hello:1',
        },
        status: { phase: 'Recorded', startedAt: `2026-01-01T00:00:${String(number + 10)}Z` },
      })
    }
    const { cache } = records.deployments
    await eventually('they are seen', () => cache.by('app', app.metadata.name).length === releases.length, 10_000)
  }
  const freeze = (name: string) =>
    records.client.create(coreTypes.secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        namespace: systemNamespace,
        labels: {
          [labels.owner]: app.metadata.uid ?? '',
          [labels.app]: app.metadata.name,
          [labels.purpose]: secretPurposes.release,
        },
      },
    })
  /** The newest deploy has failed; `up` is the one whose copies are there. */
  async function prune(newest: number, up: number, client = records.client): Promise<void> {
    const attempt = { record: nameOf(newest), release: nameOf(newest), operation: 'deploy', actor: 'x', requestId: '' }
    const notes = { [annotations.attempt]: JSON.stringify({ ...attempt, title: 'x', at: '2026-01-02T00:00:00Z' }) }
    const { metadata, ...rest } = app
    const now: App = {
      ...rest,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...notes } },
      status: { release: nameOf(up) },
    }
    const { deployments, builds } = records
    await pruneRecords({ client, deployments, builds } as unknown as ActivityNeeds, viewOf(now)) // all that it uses
  }
  async function left(): Promise<{ records: string[]; secrets: string[] }> {
    const query = { namespace: systemNamespace }
    const own = ({ metadata: { name } }: KubeObject) => name.startsWith(`${app.metadata.name}-d`)
    const [found, secrets] = await Promise.all([
      records.client.list<KubeObject>(resourceTypes.deployment, query),
      records.client.list<KubeObject>(coreTypes.secret, query),
    ])
    const names = (items: readonly KubeObject[]) => items.filter(own).map(({ metadata }) => metadata.name)
    return { records: names(found.items).sort(), secrets: names(secrets.items).sort() }
  }
  const range = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, place) => from + place)
  const numbers = (from: number, to: number): string[] => range(from, to).map(nameOf)

  it('go with their secrets, but for those that a kept one was frozen with', async () => {
    // Eleven pushes went on with the secrets of the first; the deploy after them has its own, and fails.
    await deployed([...range(1, deploymentRecordsKept).map(() => 0), deploymentRecordsKept])
    await prune(deploymentRecordsKept, deploymentRecordsKept - 1)
    expect(await left()).to.deep.equal({
      records: numbers(1, deploymentRecordsKept),
      secrets: [nameOf(0), nameOf(deploymentRecordsKept)],
    })
  })

  it('take the secrets of an earlier one along once nothing uses them any more', async () => {
    const last = deploymentRecordsKept + 1
    await freeze(nameOf(0))
    // The record of the first is gone already, and the second goes now.
    await deployed([0, ...range(2, last)], 1)
    await prune(last, last)
    expect(await left()).to.deep.equal({ records: numbers(2, last), secrets: numbers(2, last) })
  })

  it('take no build along that a later deploy has made since they were listed', async () => {
    const build = `${app.metadata.name}-later`
    const client = Object.create(records.client) as ClusterClient
    client.list = async (...asked) => {
      const listed = await records.client.list<never>(...asked)
      await records.builds.create({
        apiVersion,
        kind: resourceTypes.build.kind,
        metadata: { name: build, namespace: systemNamespace, labels: { [labels.owner]: app.metadata.uid ?? '' } },
        spec: buildSpec.parse({ app: app.metadata.name, ...app.spec, attempt: build, repository: 'acme/web' }),
      })
      return listed
    }
    await deployed(range(0, deploymentRecordsKept))
    await prune(deploymentRecordsKept, deploymentRecordsKept, client)
    expect((await left()).records).to.deep.equal(numbers(1, deploymentRecordsKept))
    expect((await records.builds.readLive(build))?.metadata.name).to.equal(build)
  })

  it('stay where a failed deploy is rolled back to one of them, however many failed since', async () => {
    const last = deploymentRecordsKept + 2
    await deployed(range(0, last))
    await prune(last, 0)
    expect(await left()).to.deep.equal({
      records: [nameOf(0), ...numbers(3, last)],
      secrets: [nameOf(0), ...numbers(3, last)],
    })
  })

  describe('have frozen secrets, of which a sweep', () => {
    const sweep = (apps?: TestRecords['apps']): Promise<number> => {
      const needs = {
        ...records,
        ...defined({ apps }),
        sweepMs: -60_000,
        now: () => new Date(),
      } as unknown as SweepNeeds
      return createSweeps(needs).releases()
    }
    const running = (release: string): Promise<App | undefined> => {
      const attempt = { record: nameOf(9), release, operation: 'deploy', actor: 'x', requestId: '', title: 'x' }
      const text = JSON.stringify({ ...attempt, at: '2026-01-02T00:00:00Z' })
      return records.apps.edit(app.metadata.name, (current) => ({
        ...current,
        metadata: {
          ...current.metadata,
          annotations: { ...current.metadata.annotations, [annotations.attempt]: text },
        },
      }))
    }

    it('leaves those that a kept record needs, whose own record is gone', async () => {
      await freeze(nameOf(0))
      await deployed([0, 2], 1)
      await sweep()
      expect((await left()).secrets).to.deep.equal([nameOf(0), nameOf(2)])
    })

    it('keeps those that a rollback began to use a moment ago', async () => {
      await freeze(nameOf(0))
      const behind = behindStore<App>(records.client, resourceTypes.app, [app])
      await running(nameOf(0))
      await sweep(behind)
      expect((await left()).secrets).to.deep.equal([nameOf(0)])
    })

    it('takes those of a deploy that was never accepted', async () => {
      await freeze(nameOf(0))
      await running(nameOf(1))
      await sweep()
      expect((await left()).secrets).to.deep.equal([])
    })
  })
})
