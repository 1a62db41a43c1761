/** The authorities that clones of builds trust, as an operator names them. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { authoritiesIn } from '../../temporal/settings/authorities.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-authorities-'))
const at = (name: string) => join(folder, name)

/** A certificate of its own in `<name>.crt`; resolves with its text. */
function make(name: string, isAuthority: boolean): string {
  const how = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.crt`), '-subj', `/O=Test/CN=${name}`]
  const extension = ['-addext', `basicConstraints=critical,CA:${isAuthority ? 'TRUE' : 'FALSE'}`]
  execFileSync('openssl', [...how, ...files, ...extension], { stdio: 'ignore' })
  return readFileSync(at(`${name}.crt`), 'utf8')
}

describe('the authorities of git servers', () => {
  let one = ''
  let two = ''
  before(() => {
    one = make('one', true)
    two = make('two', true)
    make('self', false)
    const request = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=server']
    execFileSync('openssl', [...request, '-keyout', at('server.key'), '-out', at('server.csr')], { stdio: 'ignore' })
    const signed = ['x509', '-req', '-in', at('server.csr'), '-CA', at('one.crt'), '-CAkey', at('one.key')]
    execFileSync('openssl', [...signed, '-CAcreateserial', '-out', at('server.crt')], { stdio: 'ignore' })
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('are none where nothing is set', () => {
    expect([authoritiesIn(undefined), authoritiesIn(''), authoritiesIn(' ')]).to.deep.equal(['', '', ''])
  })

  it('are read of files, or are the value itself, without what stands around them', () => {
    expect(authoritiesIn(`${at('one.crt')}, ${at('two.crt')}`)).to.equal(one + two)
    expect(authoritiesIn(`# one, of us\n${one}\n# two\n${two.trim()}`)).to.equal(one + two)
  })

  it('a server that signed its certificate itself is taken by that certificate', () => {
    expect(authoritiesIn(at('self.crt'))).to.match(/^-----BEGIN CERTIFICATE-----/)
  })

  const refusals: [what: string, value: () => string, why: RegExp][] = [
    ['a file that is not there', () => at('none'), /^SVC_BUILD_GIT_CA, file .*none, cannot be read: ENOENT$/],
    ['a folder', () => folder, /cannot be read: EISDIR$/],
    ['a file without a certificate', () => at('one.key.txt'), /one\.key\.txt, has no certificate in PEM$/],
    ['a private key', () => at('both.pem'), /both\.pem, has a private key: it takes certificates alone$/],
    ['another part', () => at('server.csr'), /has a part that is no certificate: CERTIFICATE REQUEST$/],
    ['a certificate of a server', () => at('server.crt'), /has a certificate of no authority: CN=server$/],
    [
      'one that is cut off',
      () => `${one}${one.replace(/\n[^\n]{30}/, '\n')}`,
      /^SVC_BUILD_GIT_CA .*read, the number 2$/,
    ],
    ['too many', () => one.repeat(600), /has more than 256 KiB of certificates$/],
  ]
  for (const [what, value, why] of refusals)
    it(`refuses ${what}, and quotes nothing of it`, () => {
      writeFileSync(at('one.key.txt'), 'MHcCAQEEIA')
      writeFileSync(at('both.pem'), one + readFileSync(at('one.key'), 'utf8'))
      expect(() => authoritiesIn(value())).to.throw(why)
      const said = (() => {
        try {
          return authoritiesIn(value())
        } catch (error) {
          return (error as Error).message
        }
      })()
      expect(said).not.to.contain(readFileSync(at('one.key'), 'utf8').split('\n')[1])
      expect(said).not.to.contain('MHcCAQEE')
    })
})
