/** What the log of a build never shows. */
import { expect } from 'chai'
import { type BuildCredentials, masked, secretsOf } from '../../../kinds/builds/secrets.ts'

const maskOf = (credentials: BuildCredentials) => (text: string) => masked(secretsOf(credentials), text)

describe('the log of a build', () => {
  const auth = Buffer.from('robot:registry-password').toString('base64')
  const mask = maskOf({
    git: { token: 'ghs_token', 'ssh-privatekey': '-----BEGIN KEY-----\nbase64ofthekey\n-----END KEY-----\n' },
    registry: JSON.stringify({ auths: { 'registry.example.test': { auth, password: 'registry-password' } } }),
    secrets: { NPM_TOKEN: 'token-of-npm', LONG: 'first line\nsecond line' },
  })
  const lines: [line: string, shown: string][] = [
    ['fetching with ghs_token, ghs_token', 'fetching with ***, ***'],
    [`Authorization: Basic ${Buffer.from('x-access-token:ghs_token').toString('base64')}`, 'Authorization: Basic ***'],
    ['key: base64ofthekey', 'key: ***'],
    [`{"auth":"${auth}"}`, '{"auth":"***"}'],
    ['the password is registry-password', 'the password is ***'],
    ['npm says token-of-npm', 'npm says ***'],
    ['it has a second line', 'it has a ***'],
    ['nothing to hide', 'nothing to hide'],
  ]
  for (const [line, shown] of lines)
    it(`shows ${JSON.stringify(shown)}`, () => {
      expect(mask(line)).to.equal(shown)
    })

  for (const registry of ['{', 'null', '[]', '{"auths":null}', '{"auths":{"a.test":null}}', '{"auths":{"a.test":5}}'])
    it(`is shown as it is where the Secret of the registry holds ${registry}`, () => {
      expect(maskOf({ git: {}, registry, secrets: {} })('a line')).to.equal('a line')
    })

  it('hides what can be read of a login that is half unreadable', () => {
    const registry = '{"auths":{"a.test":{"password":5,"auth":"cm9ib3Q6cHc="},"b.test":null}}'
    expect(maskOf({ git: {}, registry, secrets: {} })('auth cm9ib3Q6cHc=')).to.equal('auth ***')
  })
})
