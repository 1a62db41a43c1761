/** Which addresses and hosts SVC_REGISTRY_PRIVATE opens, and which registry is asked without encryption. */
import { expect } from 'chai'
import { originOf, parsePrivate } from '../../../outside/registry/private.ts'

describe('The setting for private registries', () => {
  const setting = parsePrivate(
    ' 10.20.0.0/16,fd00:1::/32 ,192.168.1.5, Registry.example.com,registry.example.com:5000,[fd00:2::1]:5000',
  )

  for (const [address, covered] of [
    ['10.20.255.1', true],
    ['10.21.0.1', false],
    ['::ffff:10.20.0.1', true],
    ['fd00:1:2::3', true],
    ['fd00:2::1', false],
    ['192.168.1.5', true],
    ['192.168.1.6', false],
    ['no address', false],
  ] as const) {
    it(`${covered ? 'covers' : 'does not cover'} ${address}`, () => expect(setting.covers(address)).to.equal(covered))
  }

  for (const [host, named] of [
    ['registry.example.com', true],
    ['REGISTRY.example.com:5000', true],
    ['registry.example.com:5001', false],
    ['a.registry.example.com', false],
    ['[fd00:2::1]:5000', true],
    ['10.20.0.1', false],
  ] as const) {
    it(`${named ? 'names' : 'does not name'} ${host}`, () => expect(setting.names(host)).to.equal(named))
  }

  it('is refused for what is none of these', () => {
    for (const text of ['10.0.0.0/33', 'https://registry.example.com', 'a b', '*.example.com']) {
      expect(() => parsePrivate(text), text).to.throw('SVC_REGISTRY_PRIVATE')
    }
  })

  it('encryption is left out for this machine alone', () => {
    expect(
      ['docker.io', 'localhost:5000', '127.0.0.1:5000', '[::1]:5000', '10.0.0.1:5000', 'localhost.example.com'].map(
        originOf,
      ),
    ).to.deep.equal([
      'https://registry-1.docker.io',
      'http://localhost:5000',
      'http://127.0.0.1:5000',
      'http://[::1]:5000',
      'https://10.0.0.1:5000',
      'https://localhost.example.com',
    ])
  })
})
