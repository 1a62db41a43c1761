/**
 * Encrypts a body for MinIO's admin API: a key derived from the caller's secret, and one block of the DARE stream
 * format.
 */
import { createCipheriv, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(pbkdf2)
/** The format's id for a key by PBKDF2 and blocks in AES-256-GCM. */
const cipherId = 0x02
const iterations = 8192
const blockBytes = 16_384
const lastBlock = 0x80

/**
 * `salt (32) | cipher id (1) | nonce (8) | block`: the block is marked as the last, so that a truncated body fails.
 * Throws for a body that does not fit into one block; logins do fit.
 */
export async function encrypted(password: string, data: Buffer): Promise<Buffer> {
  if (data.length > blockBytes) throw new Error('a body of the admin API must fit into one block')
  const salt = randomBytes(32)
  const nonce = randomBytes(8)
  const key = await derive(password, salt, iterations, 32, 'sha256')
  const seal = (number: number, plain: Buffer, associated?: Buffer): Buffer => {
    const iv = Buffer.alloc(12)
    nonce.copy(iv)
    iv.writeUInt32LE(number, 8)
    const cipher = createCipheriv('aes-256-gcm', key, iv)
    if (associated !== undefined) cipher.setAAD(associated)
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }
  // Every block is authenticated together with the seal of the empty text, which is block 0.
  const bound = Buffer.concat([Buffer.from([lastBlock]), seal(0, Buffer.alloc(0))])
  return Buffer.concat([salt, Buffer.from([cipherId]), nonce, seal(1, data, bound)])
}
