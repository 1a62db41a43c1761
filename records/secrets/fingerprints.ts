/** Fingerprints of ssh keys, as git servers and `ssh-keygen -l` show them. */
import { createHash } from 'node:crypto'

function fingerprintOf(base64: string): string {
  const hash = createHash('sha256').update(Buffer.from(base64, 'base64')).digest('base64')
  return `SHA256:${hash.replace(/=+$/, '')}`
}

/** The fingerprint of a public key, `ssh-ed25519 KEY comment`. */
export const keyFingerprint = (shown: string): string => fingerprintOf(shown.split(' ')[1] ?? '')

/** `host fingerprint` for each line of a known_hosts file. */
export function knownHosts(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [host = '', type, key = ''] = line.trim().split(/\s+/)
    return type === undefined || key === '' || host.startsWith('#') ? [] : [`${host} ${fingerprintOf(key)}`]
  })
}
