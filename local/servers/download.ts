/** Downloads a server from its publisher and believes it only when the publisher's SHA-256 sum agrees. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { EnvHttpProxyAgent, fetch } from 'undici'
import type { Download } from './catalogue.ts'

const answerWithinMs = 2_000
const stalledAfterMs = 20_000

/** Thrown when the publisher could not be reached or its file is not what its checksum says. */
export class DownloadFailed extends Error {}

function createAgent(): EnvHttpProxyAgent {
  return new EnvHttpProxyAgent({ connect: { timeout: answerWithinMs }, headersTimeout: answerWithinMs, bodyTimeout: stalledAfterMs })
}

/** Finds the sum in `<sum>` or in a list of `<sum>  <file>` lines. */
function pickSum(list: string, file: string): string | undefined {
  const lines = list
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+\*?/))
  const line = lines.length === 1 && lines[0]?.length === 1 ? lines[0] : lines.find((fields) => fields[1] === file)
  const sum = line?.[0]?.toLowerCase()
  return sum !== undefined && /^[0-9a-f]{64}$/.test(sum) ? sum : undefined
}

async function open(url: string, dispatcher: EnvHttpProxyAgent) {
  const answer = await fetch(url, { dispatcher })
  if (!answer.ok || answer.body === null) throw new DownloadFailed(`${url} answered ${answer.status}`)
  return answer
}

async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

async function fetchVerified(download: Download, archive: string, dispatcher: EnvHttpProxyAgent): Promise<void> {
  const name = download.url.slice(download.url.lastIndexOf('/') + 1)
  const wanted = pickSum(await (await open(download.checksumUrl, dispatcher)).text(), name)
  if (wanted === undefined) throw new DownloadFailed(`${download.checksumUrl} has no SHA-256 sum of ${name}`)
  const { body } = await open(download.url, dispatcher)
  // `open` refused an answer without a body
  await pipeline(Readable.fromWeb(body as NonNullable<typeof body>), createWriteStream(archive))
  if ((await sumOf(archive)) !== wanted) throw new DownloadFailed(`${download.url} does not have the SHA-256 sum its publisher names`)
}

/**
 * Puts the executable at `target`, which lies in an existing folder. Throws DownloadFailed within about 2 s when the
 * publisher does not answer; leaves nothing behind then.
 */
export async function downloadServer(download: Download, target: string): Promise<void> {
  const folder = mkdtempSync(join(dirname(target), '.download-'))
  const dispatcher = createAgent()
  try {
    const archive = join(folder, 'file')
    await fetchVerified(download, archive, dispatcher)
    if (download.member !== undefined) await promisify(execFile)('tar', ['-xzf', archive, '-C', folder, download.member])
    renameSync(download.member === undefined ? archive : join(folder, download.member), target)
  } catch (error) {
    throw error instanceof DownloadFailed ? error : new DownloadFailed(`${download.url} cannot be downloaded`, { cause: error })
  } finally {
    await dispatcher.destroy()
    rmSync(folder, { recursive: true, force: true })
  }
}
