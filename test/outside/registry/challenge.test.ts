/** How registries request logins, and where logins are found. */
import { expect } from 'chai'
import { loginIn, parseChallenge } from '../../../outside/registry/challenge.ts'

describe('Logins of registries', () => {
  const challenges: [string, object | undefined][] = [
    ['Basic realm="Registry Realm"', { scheme: 'basic' }],
    [
      'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:library/nginx:pull"',
      {
        scheme: 'bearer',
        realm: 'https://auth.docker.io/token',
        service: 'registry.docker.io',
        scope: 'repository:library/nginx:pull',
      },
    ],
    ['bearer REALM="https://x/t"', { scheme: 'bearer', realm: 'https://x/t' }],
    ['Bearer service="x"', undefined],
    ['Negotiate abc', undefined],
    ['', undefined],
  ]
  for (const [header, wanted] of challenges) {
    it(`reads ${header === '' ? 'no header' : header}`, () => expect(parseChallenge(header)).to.deep.equal(wanted))
  }

  const config = (auths: unknown) => JSON.stringify({ auths })
  const ann = { username: 'ann', password: 'p:w' }
  const logins: [string, string, string, object | undefined][] = [
    ['name and password', config({ 'ghcr.io': ann }), 'ghcr.io', ann],
    ['both in one', config({ 'ghcr.io': { auth: Buffer.from('ann:p:w').toString('base64') } }), 'ghcr.io', ann],
    ['an address with scheme and path', config({ 'https://index.docker.io/v1/': ann }), 'docker.io', ann],
    ['a port', config({ '127.0.0.1:5000': ann }), '127.0.0.1:5000', ann],
    ['none for another registry', config({ 'ghcr.io': ann }), 'quay.io', undefined],
    ['none for a registry whose name only begins alike', config({ 'ghcr.io': ann }), 'ghcr.io.evil.example', undefined],
    ['a broken entry beside a good one', config({ 'quay.io': 5, 'ghcr.io': ann }), 'ghcr.io', ann],
    ['nonsense', 'nonsense', 'ghcr.io', undefined],
    ['nothing', '', 'ghcr.io', undefined],
  ]
  for (const [title, text, registry, wanted] of logins) {
    it(`finds ${title}`, () => expect(loginIn(text, registry)).to.deep.equal(wanted))
  }
})
