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
const basesOf = (file: string): [string, string][] =>
  [...textOf(file).matchAll(/^ARG (\w+_IMAGE)=(\S+)/gm)].map(([, name = '', image = '']) => [
    `${name} of ${file}`,
    image,
  ])
const images: [string, string][] = [
  ...Object.entries(services).flatMap(([name, { image, build }]): [string, string][] =>
    build === undefined ? [[name, byDefault(image)]] : [],
  ),
  ...['deploy/Dockerfile', 'deploy/functions/Dockerfile', 'deploy/builder.Dockerfile'].flatMap(basesOf),
  ['the object server', objectServerSettings({}).image],
  ['the tunnel', exposureSettings({}).exposure.tunnelImage],
]

describe('the image of', () => {
  for (const [what, image] of images) {
    it(`${what} has a version and a digest`, () => expect(image).to.match(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/))
  }
})

describe('Bun', () => {
  it('has the same version in the image of functions and in the package that the one-machine stack makes it of', () => {
    const image = /^ARG BUN_IMAGE=oven\/bun:([\d.]+)-slim@/m.exec(textOf('deploy/functions/Dockerfile'))?.[1]
    const npm = /@oven\/bun-linux-x64@([\d.]+)'/.exec(textOf('one-machine/images/functions.ts'))?.[1]
    expect(image).to.be.a('string')
    expect(image).to.equal(npm)
  })
})
