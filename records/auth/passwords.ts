/** How passwords are kept: scrypt with a salt of their own, compared in constant time. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** About 50 ms and 32 MiB; the numbers travel with each hash, so they can grow later. */
const cost = { N: 2 ** 15, r: 8, p: 1 } as const
const keyBytes = 32
const saltBytes = 16

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const key = await derive(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** False for a wrong password and for a hash that nobody made here. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [scheme, N, r, p, salt, key] = hash.split('$')
  if (scheme !== 'scrypt' || salt === undefined || key === undefined) return false
  const wanted = Buffer.from(key, 'base64url')
  const found = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) })
  return wanted.length === found.length && timingSafeEqual(wanted, found)
}

function derive(password: string, salt: Buffer, { N, r, p }: { N: number; r: number; p: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyBytes, { N, r, p, maxmem: 256 * N * r }, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}
