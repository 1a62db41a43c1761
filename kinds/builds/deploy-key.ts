/**
 * The key pair with which the repository of a service is read over ssh, in the forms of OpenSSH
 * (docs/reference/builds.md#deploy-keys).
 */

/**
 * Keys of the Secret with the private key, the public key and the known hosts; hand-made Secrets use the same names.
 */
export const deployKeyFields = { secret: 'ssh-privatekey', shown: 'ssh-publickey', hosts: 'known_hosts' } as const

export interface DeployKeyPair {
  /** The text of a private key file. */
  secret: string
  /** The public key in one line, as git servers accept it. */
  shown: string
}

const algorithm = 'ssh-ed25519'
const magic = Buffer.from('openssh-key-v1\0')
/** The block size of the cipher `none`. */
const blockSize = 8
const lineLength = 70

/**
 * An Ed25519 key pair from its seed and public key, 32 bytes each. OpenSSH before 9.6 reads such a private key only in
 * its own format (PROTOCOL.key): numbers have 4 bytes, and a text follows its length.
 */
export function deployKeyPair(seed: Buffer, publicKey: Buffer, comment: string): DeployKeyPair {
  const blob = Buffer.concat([sized(algorithm), sized(publicKey)])
  const check = number(0) // twice the same: it shows whether a passphrase was right, and there is none
  const parts = [check, check, blob, sized(Buffer.concat([seed, publicKey])), sized(comment)]
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const padding = Buffer.from(Array.from({ length: (blockSize - (length % blockSize)) % blockSize }, (_, at) => at + 1))
  const container = Buffer.concat([
    magic,
    ...['none', 'none', ''].map(sized), // cipher, and how its key is made of a passphrase
    number(1),
    sized(blob),
    sized(Buffer.concat([...parts, padding])),
  ])
  const lines = container.toString('base64').match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? []
  return {
    secret: ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n'),
    shown: `${algorithm} ${blob.toString('base64')} ${comment}`,
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function sized(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([number(bytes.length), bytes])
}
