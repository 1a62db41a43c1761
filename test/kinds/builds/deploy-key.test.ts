/** Deploy keys are what OpenSSH itself takes for a key pair. */
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { deployKeyPair } from '../../../kinds/builds/deploy-key.ts'
import { isSsh } from '../../../kinds/builds/repository.ts'
import { keyFingerprint, knownHosts } from '../../../records/secrets/fingerprints.ts'

describe('a deploy key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-deploy-key-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  const keygen = (...args: string[]) => execFileSync('ssh-keygen', args, { encoding: 'utf8' }).trim()

  // The padding of the private half depends on the length of the comment.
  for (const comment of ['svc-web', 'svc-a-name-of-another-length', 'svc-abcdefgh'])
    it(`of ${comment} is read by OpenSSH, which finds the same public half and fingerprint`, () => {
      const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
      const { secret, shown } = deployKeyPair(Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url'), comment)
      const file = join(folder, comment)
      writeFileSync(file, secret, { mode: 0o600 })
      expect(keygen('-y', '-P', '', '-f', file)).to.equal(shown)
      expect(keygen('-l', '-f', file).split(' ')[1]).to.equal(keyFingerprint(shown))
    })

  it('goes with the hosts that were met, each with its fingerprint', () => {
    keygen('-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'host'))
    const [type, key] = keygen('-y', '-f', join(folder, 'host')).split(' ')
    const fingerprint = keygen('-l', '-f', join(folder, 'host')).split(' ')[1] ?? ''
    expect(knownHosts(`# a comment\n[git.example.test]:2222 ${type} ${key}\n\n`)).to.deep.equal([
      `[git.example.test]:2222 ${fingerprint}`,
    ])
    expect(knownHosts('')).to.deep.equal([])
  })

  it('is for addresses of ssh alone', () =>
    expect(
      ['git@git.example.test:a/b.git', 'ssh://git@git.example.test/a/b', 'https://git.example.test/a/b', ''].map(isSsh),
    ).to.deep.equal([true, true, false, false]))
})
