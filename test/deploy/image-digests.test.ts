/** Foreign images: each has a version for people and a digest that decides, so that it cannot be replaced. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { objectServerSettings } from '../../temporal/settings/object-server.ts'
import { exposureSettings } from '../../temporal/settings/exposure.ts'

const textOf = (file: string): string => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
const { services } = parse(textOf('docker-compose.yml'), { merge: true }) as {
  services: Record<string, { image: string; build?: unknown }>
}
/** The default of `${VARIABLE:-image}`. */
const byDefault = (image: string): string => /^\$\{\w+:-(.+)\}$/.exec(image)?.[1] ?? image
const images: [string, string][] = [
  ...Object.entries(services).flatMap(([name, { image, build }]): [string, string][] =>
    build === undefined ? [[name, byDefault(image)]] : [],
  ),
  ['deploy/Dockerfile', /^ARG NODE_IMAGE=(\S+)/m.exec(textOf('deploy/Dockerfile'))?.[1] ?? ''],
  ['the object server', objectServerSettings({}).image],
  ['the tunnel', exposureSettings({}).exposure.tunnelImage],
]

describe('the image of', () => {
  for (const [what, image] of images) {
    it(`${what} has a version and a digest`, () => expect(image).to.match(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/))
  }
})
