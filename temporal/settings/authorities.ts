/** Authorities that git trusts in builds, from the environment (docs/reference/builds.md#where-a-build-runs). */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

const setting = 'SVC_BUILD_GIT_CA'
/** Limit in bytes of the certificates, since the Secret of each build holds them. */
const bytesMax = 256 * 1024
const begin = '-----BEGIN '
const block = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g

/**
 * The certificates of SVC_BUILD_GIT_CA one after the other, in PEM and without any text between them; '' if it is not
 * set. Its value is PEM text, or paths of PEM files, separated by commas. Throws a sentence that quotes nothing of the
 * text, since a private key may be in it.
 */
export function authoritiesIn(value: string | undefined): string {
  if (value === undefined || value.trim() === '') return ''
  const texts = value.includes(begin) ? [{ text: value, from: setting }] : filesIn(value)
  const all = texts.flatMap(({ text, from }) => certificatesIn(text, from)).join('')
  if (Buffer.byteLength(all) > bytesMax)
    throw new Error(`${setting} has more than ${bytesMax / 1024} KiB of certificates`)
  return all
}

function filesIn(value: string): { text: string; from: string }[] {
  const paths = value.split(',').map((path) => path.trim())
  return paths.filter((path) => path !== '').map((path) => ({ text: read(path), from: `${setting}, file ${path},` }))
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new Error(
      `${setting}, file ${path}, cannot be read: ${(cause as NodeJS.ErrnoException).code ?? 'it is no file'}`,
      {
        cause,
      },
    )
  }
}

function certificatesIn(text: string, from: string): string[] {
  const blocks = [...text.matchAll(block)]
  if (blocks.length === 0) throw new Error(`${from} has no certificate in PEM`)
  return blocks.map(([whole, kind = ''], index) => {
    if (kind.endsWith('PRIVATE KEY')) throw new Error(`${from} has a private key: it takes certificates alone`)
    if (kind !== 'CERTIFICATE') throw new Error(`${from} has a part that is no certificate: ${kind}`)
    const certificate = parsed(whole)
    if (certificate === undefined)
      throw new Error(`${from} has a certificate that cannot be read, the number ${index + 1}`)
    if (!certificate.ca && !isOwnIssuer(certificate))
      throw new Error(`${from} has a certificate of no authority: ${certificate.subject.replaceAll('\n', ', ')}`)
    return `${whole.trim()}\n`
  })
}

/** Undefined if the text is no certificate, or is cut off. */
function parsed(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text)
  } catch {
    return undefined
  }
}

/** Whether the certificate is self-signed: a server with one is trusted by that certificate. */
const isOwnIssuer = (certificate: X509Certificate): boolean => certificate.checkIssued(certificate)
