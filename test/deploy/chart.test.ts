/** What the chart renders and refuses, by Helm itself; needs no cluster. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse, parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { buildsNamespaceManifest } from '../../kinds/builds/names.ts'
import { asked, chart, helm, helmWithinMs, needed, releaseNamespace, render } from '../harness/helm.ts'
import { deploymentOf, environmentOf, type Deployment, sortedBy } from './rendered.ts'

const root = join(import.meta.dirname, '../..')
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const documents = (path: string): KubeObject[] =>
  parseAllDocuments(textOf(path)).map((document) => document.toJS() as KubeObject)

/** Every value that adds something. */
const everything = {
  image: { ...needed.image, digest: `sha256:${'a'.repeat(64)}`, pullSecrets: ['pull'] },
  temporal: {
    ...needed.temporal,
    pages: 'https://temporal.test',
    apiKey: { secret: 'temporal-key' },
    tls: { secret: 'temporal-tls', client: true },
  },
  env: { SVC_POLICY: '{}' },
  api: { env: { SVC_LOGS_HINT: 'ask' }, secretEnv: { SVC_GITHUB_URL: { name: 'git', key: 'url' } } },
  worker: { env: { SVC_AUTO_HOSTS: 'apps.test' }, nodeSelector: { disk: 'ssd' }, priorityClassName: 'high' },
  firstUsers: { secret: 'users' },
  trustedProxies: ['10.42.0.0/16', '2001:db8::7'],
  logs: { url: 'http://loki.test:3100', tenant: 'svc' },
  prometheusUrl: 'http://prometheus.test:9090',
  ingress: { enabled: true, host: 'svc.test', className: 'traefik', tlsSecret: 'certificate' },
  monitoring: { serviceMonitor: { enabled: true }, rules: { enabled: true }, dashboard: { enabled: true } },
}

describe('the chart', function () {
  this.timeout(60_000)
  let least: KubeObject[]
  let most: KubeObject[]

  before(async function () {
    this.timeout(helmWithinMs)
    least = await render(needed)
    most = await render(everything)
  })

  it('passes the lint of Helm', async () => {
    for (const values of [needed, everything])
      expect(await helm(['lint', chart, '--strict', '--namespace', releaseNamespace, ...asked], values)).to.include(
        '0 chart(s) failed',
      )
  })

  it('has the version of svc', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string }
    expect(parse(textOf('deploy/chart/Chart.yaml'))).to.include({ version, appVersion: version })
  })

  const refusals: [string, object, string][] = [
    ['no Temporal', { ...needed, temporal: {} }, 'temporal.address is missing: host:port'],
    ['no image', { ...needed, image: {} }, 'image.repository is missing: build deploy/Dockerfile'],
    ['an Ingress for no host', { ...needed, ingress: { enabled: true } }, 'ingress.host is missing'],
    [
      'a client certificate of no Secret',
      { ...needed, temporal: { ...needed.temporal, tls: { client: true } } },
      'temporal.tls.secret is missing',
    ],
    ['users in the open', { ...needed, api: { env: { SVC_DASHBOARD_USERS: '[]' } } }, 'belongs into a Secret'],
    ['an API key in the open', { ...needed, env: { SVC_TEMPORAL_API_KEY: 'k' } }, 'belongs into a Secret'],
    [
      'a log store with a password',
      { ...needed, logs: { url: 'http://a:b@loki.test' } },
      'logs.url holds a login, which belongs into a Secret',
    ],
    [
      'a setting that a value has',
      { ...needed, worker: { env: { SVC_RELEASES: 'off' } } },
      'worker.env holds SVC_RELEASES, which another value of the chart sets',
    ],
    [
      'a setting that is given twice',
      { ...needed, env: { SVC_POLICY: '{}' }, api: { env: { SVC_POLICY: '{}' } } },
      'holds SVC_POLICY, which another value of the chart sets',
    ],
    [
      'a setting that is also a secret',
      { ...needed, api: { secretEnv: { SVC_PORT: { name: 'a', key: 'b' } } } },
      'api.secretEnv holds SVC_PORT',
    ],
    ['a value that it does not know', { ...needed, replicas: 3 }, "additional properties 'replicas' not allowed"],
    ['a number as a setting', { ...needed, env: { SVC_POLICY: 1 } }, 'want string'],
  ]
  for (const [what, values, sentence] of refusals) {
    it(`refuses ${what}`, async () => {
      const said = await render(values).then(
        () => 'it was rendered',
        (error: unknown) => String(error),
      )
      expect(said).to.include(sentence).and.not.include('a:b@')
    })
  }

  it('takes what each command of the guide gives it, with each of its values.yaml', async () => {
    const guide = textOf('docs/guides/installing-with-helm.md').replaceAll(/\\\n */g, '')
    const files = [...guide.matchAll(/^ {4}image: .*\n(?: {4}.*\n)+/gm)].map(([text]) => parse(text) as object)
    const commands = [...guide.matchAll(/^ {4}helm (?:install|upgrade) svc deploy\/chart .*--values values\.yaml.*$/gm)]
    expect([files.length, commands.length]).to.deep.equal([2, 3])
    for (const [command] of commands)
      for (const values of files) {
        const sets = (command.match(/--set(?:-string)? \S+/g) ?? []).flatMap((each) => each.split(' '))
        expect(sets.join(' ')).to.include('image.tag=')
        await helm(['template', 'svc', chart, '--namespace', releaseNamespace, ...asked, ...sets], values)
      }
  })

  for (const namespace of ['svc-system', 'svc-builds']) {
    it(`refuses a release in ${namespace}, where svc could change it`, async () => {
      const said = await render(needed, namespace).catch((error: unknown) => String(error))
      expect(said).to.include(`the release must be in another namespace than ${namespace}`)
    })
  }

  it('makes the definitions, roles and policies of crds/ as they are, and keeps what confines records', () => {
    const files = globSync('crds/*.yaml', { cwd: root })
    expect(files).to.have.length.above(14)
    for (const file of files) {
      const keeps = !['crds/rbac.yaml', 'crds/admission.yaml'].includes(file)
      for (const wanted of documents(file)) {
        const made = least.filter((each) => isSame(each, wanted))
        expect(made, `${file}: ${wanted.kind} ${wanted.metadata.name}`).to.have.lengthOf(1)
        const kept = { ...wanted.metadata.annotations, 'helm.sh/resource-policy': 'keep' }
        const metadata = keeps ? { ...wanted.metadata, annotations: kept } : wanted.metadata
        expect(made[0]).to.deep.equal({ ...wanted, metadata })
      }
    }
  })

  it('grants no right that crds/rbac.yaml does not', () => {
    const roles = (objects: readonly KubeObject[]) =>
      objects
        .filter(({ apiVersion }) => apiVersion === 'rbac.authorization.k8s.io/v1')
        .map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)
        .toSorted()
    expect(roles(most)).to.deep.equal(roles(documents('crds/rbac.yaml')))
  })

  it('makes the two namespaces that an install makes', () => {
    const kept = { 'helm.sh/resource-policy': 'keep' }
    const system = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'svc-system', labels: { 'svc.dev/managed-by': 'svc' } },
    }
    const wanted = [buildsNamespaceManifest, system].map((each) => ({
      ...each,
      metadata: { ...each.metadata, annotations: kept },
    }))
    expect(least.filter(({ kind }) => kind === 'Namespace').toSorted(sortedBy)).to.deep.equal(wanted)
  })

  it('gives each process settings that it reads, one value each', () => {
    const page = textOf('docs/guides/settings.md')
    for (const part of ['api', 'worker'] as const) {
      const env = deploymentOf(most, part).spec.template.spec.containers[0].env
      expect(env.map(({ name }) => name)).to.deep.equal([...new Set(env.map(({ name }) => name))])
      expect(env).to.have.length.above(10)
      for (const { name } of env) expect(processesOf(name, page), `${name} of the ${part}`).to.be.oneOf([part, 'both'])
    }
  })

  it('takes secrets from Secrets alone', () => {
    const api = deploymentOf(most, 'api').spec.template.spec.containers[0]
    const referred = api.env.filter(({ valueFrom }) => valueFrom !== undefined)
    expect(referred).to.deep.equal([
      { name: 'SVC_DASHBOARD_USERS', valueFrom: { secretKeyRef: { name: 'users', key: 'users' } } },
      { name: 'SVC_GITHUB_URL', valueFrom: { secretKeyRef: { name: 'git', key: 'url' } } },
      { name: 'SVC_TEMPORAL_API_KEY', valueFrom: { secretKeyRef: { name: 'temporal-key', key: 'api-key' } } },
    ])
    expect(api.args).to.deep.equal(['api/main.ts'])
    expect(most.filter(({ kind }) => kind === 'Secret')).to.deep.equal([])
  })

  it('lets svc make the first admin where no Secret names users', () => {
    expect(environmentOf(least, 'api')).to.include({ SVC_FIRST_ADMIN: '1' })
    expect(environmentOf(most, 'api')).not.to.have.property('SVC_FIRST_ADMIN')
  })

  it('names the image by its tag, its digest, or the version of svc', async () => {
    const { appVersion } = parse(textOf('deploy/chart/Chart.yaml')) as { appVersion: string }
    const digest = `sha256:${'b'.repeat(64)}`
    for (const [image, wanted] of [
      [{}, `:${appVersion}`],
      [{ tag: '9' }, ':9'],
      [{ tag: '9', digest }, `@${digest}`],
    ] as const) {
      const objects = await render({ ...needed, image: { ...needed.image, ...image } })
      for (const part of ['api', 'worker'] as const)
        expect(deploymentOf(objects, part).spec.template.spec.containers[0].image).to.equal(
          `${needed.image.repository}${wanted}`,
        )
    }
  })

  it('leads to the dashboard by its own Ingress, or else by what the worker makes', () => {
    const service = least.find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'svc-api')
    expect(service).to.have.nested.property('spec.ports[0].port', 80)
    expect(environmentOf(least, 'worker')).to.include({ SVC_DASHBOARD_SERVICE: 'svc-api:80' })
    expect(least.filter(({ kind }) => kind === 'Ingress')).to.deep.equal([])
    expect(environmentOf(most, 'worker')).not.to.have.property('SVC_DASHBOARD_SERVICE')
    const ingress = most.find(({ kind }) => kind === 'Ingress')
    expect(ingress).to.have.nested.property('spec.rules[0].host', 'svc.test')
    expect(ingress).to.have.nested.property('spec.tls[0].secretName', 'certificate')
  })

  it('selects its own pods, by every Service, budget and spread', () => {
    for (const part of ['api', 'worker'] as const) {
      const { spec } = deploymentOf(most, part)
      const labels = spec.template.metadata.labels
      const budget = most.find(
        ({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === `svc-${part}`,
      )
      const selectors = [
        spec.selector.matchLabels,
        spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
        (budget as unknown as Deployment).spec.selector.matchLabels,
      ]
      for (const selector of selectors) expect(labels).to.include(selector)
    }
  })

  it('watches by the alerts and the dashboard of deploy/monitoring', () => {
    const named = (kind: string, name: string) =>
      most.find((each) => each.kind === kind && each.metadata.name === name) as unknown as {
        spec: Record<string, unknown>
        data: Record<string, string>
        metadata: { labels: Record<string, string> }
      }
    expect(named('PrometheusRule', 'svc').spec).to.deep.equal(parse(textOf('deploy/monitoring/alerts.yaml')))
    expect(named('ConfigMap', 'svc-dashboard').metadata.labels).to.deep.equal({ grafana_dashboard: '1' })
    expect(named('ConfigMap', 'svc-dashboard').data['svc.json']?.trim()).to.equal(
      textOf('deploy/monitoring/dashboard.json').trim(),
    )
    const service = named('Service', 'svc-metrics')
    const { selector } = named('ServiceMonitor', 'svc').spec as { selector: { matchLabels: object } }
    expect(service.metadata.labels).to.include(selector.matchLabels)
    for (const part of ['api', 'worker'] as const)
      expect(deploymentOf(most, part).spec.template.metadata.labels).to.include(service.spec['selector'])
    expect(least.filter(({ apiVersion }) => apiVersion?.startsWith('monitoring.'))).to.deep.equal([])
  })

  it('holds the api back on request, while workers are replaced', async () => {
    const held = await render({ ...needed, api: { paused: true } })
    expect([deploymentOf(held, 'api').spec.paused, deploymentOf(least, 'api').spec.paused]).to.deep.equal([true, false])
    expect(deploymentOf(held, 'worker').spec.paused).to.equal(undefined)
  })

  it('has a default for every value of its schema', () => {
    const schema = JSON.parse(textOf('deploy/chart/values.schema.json')) as Schema
    // Helm itself brings `global`.
    const values = { global: {}, ...(parse(textOf('deploy/chart/values.yaml')) as object) }
    expect(keysOf(values, schema, schema)).to.deep.equal([])
  })
})

const isSame = (one: KubeObject, other: KubeObject): boolean =>
  one.apiVersion === other.apiVersion &&
  one.kind === other.kind &&
  one.metadata.name === other.metadata.name &&
  one.metadata.namespace === other.metadata.namespace

/** The process column of the settings page; `_CERT` there is short for the name before it with another ending. */
function processesOf(name: string, page: string): string | undefined {
  const row = page.split('\n').find((line) => {
    const names = line.split(' | ')[0] ?? ''
    return names.includes(`\`${name}\``) || names.includes(`\`${name.replace('SVC_TEMPORAL_TLS', '')}\``)
  })
  return row?.split(' | ')[1]
}

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  definitions?: Record<string, Schema>
}

/** The properties that the schema has and the values do not. */
function keysOf(values: unknown, schema: Schema, whole: Schema, path = ''): string[] {
  const { properties = {} } =
    schema.$ref === undefined ? schema : (whole.definitions?.[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  return Object.entries(properties).flatMap(([key, inner]) => {
    const own = `${path}.${key}`
    const value = (values as Record<string, unknown>)[key]
    return value === undefined ? [own] : keysOf(value, inner, whole, own)
  })
}
