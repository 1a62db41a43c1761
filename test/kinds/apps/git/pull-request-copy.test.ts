/** A service as it is copied into the environment of a pull request. */
import { expect } from 'chai'
import { atCommit, copyOfApp } from '../../../../kinds/apps/git/pull-request-copy.ts'
import { type App, appSpec } from '../../../../kinds/apps/kind.ts'
import { copyName, withHostsOfCopies } from '../../../../kinds/meta/copied-names.ts'

const commit = 'c'.repeat(40)
const place = {
  project: 'proj-0000000a',
  base: 'production',
  environment: 'pr-7',
  names: new Map([
    ['shop', 'shop-pr-7'],
    ['orders', 'orders-pr-7'],
  ]),
}
const appWith = (spec: object, status: App['status'] = {}): App => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcApp',
  metadata: { name: 'shop', annotations: {} },
  spec: appSpec.parse({
    project: place.project,
    environment: 'production',
    deploy: { enabled: true },
    ...spec,
  }),
  status,
})
const git = { connectionRef: { name: 'login' }, repository: 'acme/shop', branch: 'main' }

describe('the copy of a service', () => {
  const wanted = { commit, secrets: true }

  it('is built at the commit where the repository is that of the pull request', () => {
    const spec = copyOfApp(appWith({ source: { git } }), place, wanted)?.spec
    expect(spec?.source.git).to.deep.include({ ...git, commit })
    expect([spec?.environment, spec?.deploy.enabled]).to.deep.equal(['pr-7', false])
  })

  it('runs the image of the original where the repository is another, and is left out where there is none', () => {
    const running = copyOfApp(appWith({ source: { git } }, { image: 'r/shop@sha256:1' }), place, {
      ...wanted,
      commit: undefined,
    })
    expect(running?.spec.source).to.deep.equal({ image: { image: 'r/shop@sha256:1' } })
    expect(copyOfApp(appWith({ source: { git } }), place, { ...wanted, commit: undefined })).to.equal(undefined)
    expect(copyOfApp(appWith({ source: { git }, deploy: {} }), place, wanted)).to.equal(undefined)
  })

  it('has one copy, hosts of its own, and no schedules', () => {
    const spec = copyOfApp(
      appWith({
        source: { function: { code: 'x', triggers: [{ name: 'n', schedule: '@daily' }] } },
        replicas: 5,
        autoscaling: {},
        ingress: { host: 'shop.example.test', rules: [{ host: 'www.shop.example.test', path: '/a' }] },
      }),
      place,
      wanted,
    )?.spec
    expect([spec?.replicas, spec?.autoscaling, spec?.source.function?.triggers]).to.deep.equal([1, undefined, []])
    expect(spec?.ingress.host).to.equal('pr-7-shop.example.test')
    expect(spec?.ingress.rules).to.deep.equal([{ host: 'pr-7-www.shop.example.test', path: '/a' }])
    const long = `${'a'.repeat(60)}.example.test`
    expect(copyOfApp(appWith({ source: { git }, ingress: { host: long } }), place, wanted)?.spec.ingress.host).to.equal(
      '',
    )
  })

  it('refers to the secrets of the original, and to the connections of what is copied alone', () => {
    const env = [
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'orders-connection', key: 'uri' } } },
      { name: 'REMOTE_URL', valueFrom: { secretKeyRef: { name: 'elsewhere-connection', key: 'uri' } } },
      { name: 'PEER', value: 'http://shop:8080/a' },
    ]
    const copy = copyOfApp(appWith({ source: { git }, env, envFrom: [{ secretRef: { name: 's' } }] }), place, wanted)
    expect(copy?.spec.secretRef).to.deep.equal({ name: 'shop-secrets' })
    expect(copy?.spec.env).to.deep.equal([
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'orders-pr-7-connection', key: 'uri' } } },
      { name: 'PEER', value: 'http://shop-pr-7:8080/a' },
    ])
    expect(copy?.spec.envFrom).to.deep.equal([])
    expect(copy?.left).to.deep.equal([
      'the variable REMOTE_URL: what it refers to is not copied',
      'variables taken whole from a Secret or ConfigMap: it is not copied',
    ])
  })

  it('has neither secrets nor a login where the commits come from a fork', () => {
    const app = appWith({ source: { git }, secretRef: { name: 'shop-secrets' } })
    const spec = copyOfApp(app, place, { commit, secrets: false })?.spec
    expect([spec?.secretRef, spec?.source.git?.connectionRef]).to.deep.equal([undefined, undefined])
  })

  it('of a fork names only plain variables for its build', () => {
    const app = appWith({
      source: { git },
      configData: { COLOUR: 'green' },
      build: { variables: ['COLOUR', 'toString'] },
    })
    const spec = copyOfApp(app, place, { commit, secrets: false })?.spec
    expect(spec?.build?.variables).to.deep.equal(['COLOUR'])
  })

  it('goes to another commit with nothing else changed', () => {
    const { spec } = appWith({ source: { git } })
    expect(atCommit(spec, commit)).to.deep.equal({ ...spec, source: { git: { ...spec.source.git, commit } } })
    const image = appWith({ source: { image: { image: 'a' } } }).spec
    expect(atCommit(image, commit)).to.equal(image)
  })
})

describe('names of copies', () => {
  it('have the environment at the end, and stay short and apart', () => {
    expect(copyName('shop', 'pr-7')).to.equal('shop-pr-7')
    const [one, other] = [copyName(`${'a'.repeat(60)}1`, 'pr-7'), copyName(`${'a'.repeat(60)}2`, 'pr-7')]
    expect(one).to.match(/^a+-[0-9a-f]{8}-pr-7$/)
    expect([one.length, one === other]).to.deep.equal([50, false])
  })

  const texts: readonly [string, string][] = [
    ['http://shop:8080/shop', 'http://shop-pr-7:8080/shop'],
    [
      'postgresql://u:p@orders-rw.proj-0000000a-production.svc:5432/x',
      'postgresql://u:p@orders-pr-7-rw.proj-0000000a-pr-7.svc:5432/x',
    ],
    ['shop:8080,orders:5432', 'shop-pr-7:8080,orders-pr-7:5432'],
    ['http://shop', 'http://shop-pr-7'],
    ['shop', 'shop'],
    ['/shop:8080', '/shop:8080'],
    ['http://shop.example.test', 'http://shop.example.test'],
    ['http://my-shop:80', 'http://my-shop:80'],
    ['http://shop.proj-0000000b-production.svc', 'http://shop.proj-0000000b-production.svc'],
  ]
  for (const [text, copied] of texts)
    it(`make ${JSON.stringify(text)} ${text === copied ? 'stay as it is' : JSON.stringify(copied)}`, () =>
      expect(withHostsOfCopies(text, place)).to.equal(copied))
})
