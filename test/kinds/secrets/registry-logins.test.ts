/** The file of `docker login` in a Secret, of which Kubernetes only checks that it is JSON. */
import { expect } from 'chai'
import { registryLogins } from '../../../kinds/secrets/registry-logins.ts'

describe('the logins of registries in a Secret', () => {
  for (const text of ['', 'null', '[]', '7', '{', '{}', '{"auths":null}', '{"auths":[]}'])
    it(`are none in ${text === '' ? 'no text' : text}`, () => {
      expect(registryLogins(text)).to.deep.equal({})
    })

  it('are those that can be read, beside others', () => {
    const auths = {
      'a.example.com': { username: 'ann', password: 'p' },
      'b.example.com': null,
      'c.example.com': { auth: 7 },
    }
    const logins = Object.entries(registryLogins(JSON.stringify({ auths })))
    const passwords = logins.map(([address, { password, auth }]) => [address, password ?? auth])
    expect(passwords).to.deep.equal([
      ['a.example.com', 'p'],
      ['b.example.com', undefined],
      ['c.example.com', undefined],
    ])
  })
})
