/** Which images of builds may be removed: those that no record names, and none while a build may take them. */
import { expect } from 'chai'
import type { App } from '../../../kinds/apps/kind.ts'
import { type Build, buildSpec } from '../../../kinds/builds/kind.ts'
import { type Namers, whoNames, withoutDeploy } from '../../../kinds/builds/old-image.ts'
import type { Deployment } from '../../../kinds/deployments/kind.ts'

const digest = `sha256:${'ab'.repeat(32)}`
const image = 'registry.example.test:5000/svc/builds:web-4b825dc642cb'
const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' }
const done: Build['status'] = { phase: 'Succeeded', image, imageDigest: digest }

const build = (name: string, status: Build['status'] = done, metadata: object = {}, app = 'web'): Build => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcBuild',
  metadata: { name, ...metadata },
  spec: buildSpec.parse({ app, project: 'proj-00000001', environment: 'production', repository: 'a/b', attempt: name }),
  status,
})
/** As much of the two as is read. */
const app = (name: string, rest: object = {}, metadata: object = {}) =>
  ({ metadata: { name, ...metadata }, spec: {}, ...rest }) as unknown as App
const deployment = (of: string, named: string) =>
  ({ metadata: { name: `${of}-active` }, spec: { app: of, image: named } }) as unknown as Deployment

describe('the image of a build that goes', () => {
  const old = build('web-00001', done, deleted)
  const rows: [what: string, namers: Partial<Namers>, answer: 'open' | 'named' | 'none'][] = [
    ['nothing else', {}, 'none'],
    ['a service that runs another', { apps: [app('web', { status: { image: 'other@sha256:00' } })] }, 'none'],
    ['what runs', { apps: [app('web', { status: { image: `${image}@${digest}` } })] }, 'named'],
    ['a service that ran it before', { apps: [app('web', { status: { history: [{ image: digest }] } })] }, 'none'],
    ['the service of an image elsewhere', { apps: [app('copy', { spec: { source: { image: { image } } } })] }, 'named'],
    ['a tag that only begins alike', { apps: [app('copy', { spec: { image: `${image}2` } })] }, 'none'],
    ['a kept deployment', { apps: [app('web')], deployments: [deployment('web', `${image}@${digest}`)] }, 'named'],
    ['a deployment of a service that is gone', { deployments: [deployment('web', `${image}@${digest}`)] }, 'none'],
    [
      'a service that is being deleted, and its deployments',
      {
        apps: [app('web', { status: { image: `${image}@${digest}` } }, deleted)],
        deployments: [deployment('web', `${image}@${digest}`)],
      },
      'none',
    ],
    ['another build that made the same', { builds: [old, build('shop-00001', done, {}, 'shop')] }, 'named'],
    ['another build that goes, too', { builds: [old, build('web-00002', done, deleted)] }, 'none'],
    ['an open build of the service', { builds: [old, build('web-00002', { phase: 'Running' })] }, 'open'],
    ['an open build of another', { builds: [old, build('shop-00002', { phase: 'Running' }, {}, 'shop')] }, 'none'],
  ]
  for (const [what, namers, answer] of rows)
    it(`beside ${what} is ${answer === 'none' ? 'removed' : answer === 'named' ? 'kept' : 'waited for'}`, () =>
      expect(whoNames(old, { builds: [old], apps: [], deployments: [], ...namers })).to.equal(answer))

  it('keeps its build as long as it runs, however many deploys failed since', () => {
    const builds = [build('kept'), build('runs'), build('old', { ...done, imageDigest: 'sha256:00' }), build('bad', {})]
    const names = (runs?: string) => withoutDeploy(builds, new Set(['kept']), runs).map(({ metadata }) => metadata.name)
    expect(names(`${image}@${digest}`)).to.deep.equal(['old', 'bad'])
    expect(names()).to.deep.equal(['runs', 'old', 'bad'])
  })
})
