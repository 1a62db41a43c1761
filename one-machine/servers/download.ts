/** Downloads a server from its publisher and accepts it only when its SHA-256 sum is the pinned one. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { EnvHttpProxyAgent, fetch } from 'undici'
import type { Download } from './server.ts'
import { unzip } from './zip.ts'

const answerWithinMs = 2_000
const stalledAfterMs = 20_000

/** Thrown when the publisher is unreachable or its file does not match its checksum. */
export class DownloadFailed extends Error {}

function createAgent(): EnvHttpProxyAgent {
  return new EnvHttpProxyAgent({
    connect: { timeout: answerWithinMs },
    headersTimeout: answerWithinMs,
    bodyTimeout: stalledAfterMs,
  })
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

/** The pinned sum, else the publisher's. */
async function findSum({ url, sha256, checksumUrl }: Download, dispatcher: EnvHttpProxyAgent): Promise<string> {
  if (sha256 !== undefined) return sha256
  const name = url.slice(url.lastIndexOf('/') + 1)
  const sum = checksumUrl === undefined ? undefined : pickSum(await (await open(checksumUrl, dispatcher)).text(), name)
  if (sum === undefined) throw new DownloadFailed(`there is no SHA-256 sum of ${url}`)
  return sum
}

async function fetchVerified(download: Download, archive: string, dispatcher: EnvHttpProxyAgent): Promise<void> {
  const wanted = await findSum(download, dispatcher)
  const { body } = await open(download.url, dispatcher)
  // `open` refused an answer without a body
  await pipeline(Readable.fromWeb(body as NonNullable<typeof body>), createWriteStream(archive))
  if ((await sumOf(archive)) !== wanted)
    throw new DownloadFailed(`${download.url} does not have the SHA-256 sum it should have`)
}

/** Throws without a network error as its cause: an archive with another layout does not mean a closed network. */
async function unpack(archive: string, folder: string, { url, member = '' }: Download): Promise<void> {
  const unpacked = url.endsWith('.zip')
    ? unzip(archive, member, join(folder, member))
    : promisify(execFile)('tar', ['-xzf', archive, '-C', folder, member])
  await unpacked.catch(() => {
    throw new DownloadFailed(`${url} holds no ${member}`)
  })
}

/**
 * Why a download must not be tried: its file could only be compared with a sum of the same origin. Undefined when it
 * may be.
 */
export function whyNotDownloaded(download: Download, env: NodeJS.ProcessEnv): string | undefined {
  if (download.sha256 !== undefined || env['SVC_UNPINNED_DOWNLOADS'] === '1') return undefined
  return 'no checksum of its download is known; SVC_UNPINNED_DOWNLOADS=1 would believe that of the publisher'
}

/** Whether the file is to be had: its publisher answers within about 2 s. */
export async function isOffered({ url }: Download): Promise<boolean> {
  const dispatcher = createAgent()
  try {
    return (await fetch(url, { dispatcher, method: 'HEAD' })).ok
  } catch {
    return false // a closed network
  } finally {
    await dispatcher.destroy()
  }
}

/**
 * Writes the executable to `target` in an existing folder. Throws DownloadFailed within about 2 s when the publisher
 * does not answer, and leaves no files then.
 */
export async function downloadServer(download: Download, target: string): Promise<void> {
  const folder = mkdtempSync(join(dirname(target), '.download-'))
  const dispatcher = createAgent()
  try {
    const archive = join(folder, 'file')
    await fetchVerified(download, archive, dispatcher)
    if (download.member !== undefined) await unpack(archive, folder, download)
    renameSync(download.member === undefined ? archive : join(folder, download.member), target)
  } catch (error) {
    throw error instanceof DownloadFailed
      ? error
      : new DownloadFailed(`${download.url} cannot be downloaded`, { cause: error })
  } finally {
    await dispatcher.destroy()
    rmSync(folder, { recursive: true, force: true })
  }
}
