/** Which URLs a webhook may have. */
import { expect } from 'chai'
import { createGuard } from '../../../outside/guard.ts'
import { refusalOfUrl } from '../../../outside/webhooks/refusal.ts'

const names: Readonly<Record<string, readonly string[]>> = {
  'hooks.example.com': ['93.184.215.14', '2606:4700::1111'],
  'inside.example.com': ['10.1.2.3'],
  'loop.example.com': ['127.0.0.1'],
  'mixed.example.com': ['93.184.215.14', '10.1.2.3'],
  'metadata.example.com': ['169.254.169.254'],
}
const resolve = async (host: string): Promise<readonly string[]> => {
  const found = names[host]
  if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${host}`)
  return found
}

describe('URLs of webhooks', () => {
  const scheme = 'url must be http or https'
  const local = 'url must not be localhost'
  const inside = 'url must not be a private address'
  /** URL, refusal by default, refusal where private addresses are allowed. */
  const table: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['https://hooks.example.com/path?x=1', undefined, undefined],
    ['http://hooks.example.com:8080', undefined, undefined],
    ['HTTPS://hooks.example.com/', undefined, undefined],
    ['https://not-there-yet.example.com/', undefined, undefined],
    ['https://93.184.215.14/', undefined, undefined],
    ['ftp://hooks.example.com/', scheme, scheme],
    ['file:///etc/passwd', scheme, scheme],
    ['javascript:alert(1)', scheme, scheme],
    ['hooks.example.com', scheme, scheme],
    ['https://', scheme, scheme],
    ['http://[::1', scheme, scheme],
    ['http://1.2.3.4.5/', scheme, scheme],
    [
      'https://user:word@hooks.example.com/',
      'url must not hold a user name or password',
      'url must not hold a user name or password',
    ],
    ['http://localhost/', local, local],
    ['http://LOCALHOST:3000/x', local, local],
    ['http://localhost./', local, local],
    ['http://a.localhost/', local, local],
    ['http://127.0.0.1/', inside, undefined],
    ['http://127.1/', inside, undefined],
    ['http://2130706433/', inside, undefined],
    ['http://0x7f000001/', inside, undefined],
    ['http://0177.0.0.1/', inside, undefined],
    ['http://10.0.0.7:9000/', inside, undefined],
    ['http://[::1]/', inside, undefined],
    ['http://[::ffff:127.0.0.1]/', inside, undefined],
    ['http://[fd00::1]/', inside, undefined],
    ['http://inside.example.com/', inside, undefined],
    ['http://loop.example.com/', inside, undefined],
    ['http://mixed.example.com/', inside, undefined],
    ['http://0.0.0.0/', inside, inside],
    ['http://169.254.169.254/latest/meta-data', inside, inside],
    ['http://[fe80::1]/', inside, inside],
    ['http://metadata.example.com/', inside, inside],
    ['http://[::ffff:a9fe:a9fe]/', inside, inside],
  ]
  for (const [url, byDefault, allowed] of table) {
    it(`${url}: ${byDefault ?? 'saved'}; with private addresses allowed: ${allowed ?? 'saved'}`, async () => {
      expect(await refusalOfUrl(url, createGuard({ allowPrivate: false, resolve }))).to.equal(byDefault)
      expect(await refusalOfUrl(url, createGuard({ allowPrivate: true, resolve }))).to.equal(allowed)
    })
  }

  it('a name that takes for ever to resolve is saved within a few seconds', async function () {
    this.timeout(20_000)
    const never = createGuard({ allowPrivate: false, resolve: () => new Promise(() => undefined) })
    expect(await refusalOfUrl('http://slow.example.com/', never)).to.equal(undefined)
  })
})
