/** A small client of the OCI distribution protocol: reads a tag, uploads blobs, writes a manifest. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { answers } from '../processes/answers.ts'
import type { Blob } from './layer.ts'

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'
const LAYER = 'application/vnd.oci.image.layer.v1.tar'

/** The `config` object of an image, with the format's own names. */
export interface ImageConfig {
  Entrypoint?: string[]
  Cmd?: string[]
  Env?: string[]
  User?: string
  /** The signal that stops a container; SIGTERM when left out. */
  StopSignal?: string
  ExposedPorts?: Record<string, object>
}

/** Whether the registry (`http://host:port`) answers. */
export const registryAnswers = (registry: string): Promise<boolean> => answers(`${registry}/v2/`)

/** The digest behind `repository:tag`, or undefined when there is none. */
export async function findTag(registry: string, repository: string, tag: string): Promise<string | undefined> {
  const answer = await fetch(`${registry}/v2/${repository}/manifests/${tag}`, {
    method: 'HEAD',
    headers: { accept: MANIFEST },
  })
  if (answer.status === 404) return undefined
  if (!answer.ok) throw new Error(`the registry answered ${answer.status} to a question for ${repository}:${tag}`)
  return answer.headers.get('docker-content-digest') ?? undefined
}

/** Pushes an image of one layer; existing parts are not sent again. Returns the manifest's digest. */
export async function pushImage(
  registry: string,
  repository: string,
  tag: string,
  config: ImageConfig,
  layer: Blob & { file: string },
): Promise<string> {
  await pushBlob(registry, repository, layer, layer.file)
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const configuration = Buffer.from(
    JSON.stringify({ architecture, os: 'linux', config, rootfs: { type: 'layers', diff_ids: [layer.digest] } }),
  )
  const configBlob = blobOf(configuration)
  await pushBlob(registry, repository, configBlob, configuration)
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: CONFIG, ...configBlob },
      layers: [{ mediaType: LAYER, digest: layer.digest, size: layer.size }],
    }),
  )
  const answer = await fetch(`${registry}/v2/${repository}/manifests/${tag}`, {
    method: 'PUT',
    headers: { 'content-type': MANIFEST },
    body: manifest,
  })
  if (answer.status !== 201)
    throw new Error(`the registry refused ${repository}:${tag} with ${answer.status}: ${await answer.text()}`)
  return blobOf(manifest).digest
}

async function pushBlob(registry: string, repository: string, blob: Blob, content: Buffer | string): Promise<void> {
  const there = await fetch(`${registry}/v2/${repository}/blobs/${blob.digest}`, { method: 'HEAD' })
  if (there.ok) return
  const upload = await fetch(`${registry}/v2/${repository}/blobs/uploads/`, { method: 'POST' })
  const location = upload.headers.get('location')
  if (upload.status !== 202 || location === null)
    throw new Error(`the registry refused an upload to ${repository} with ${upload.status}`)
  const target = new URL(location, registry)
  target.searchParams.set('digest', blob.digest)
  const status = await put(target, blob.size, content)
  if (status !== 201) throw new Error(`the registry refused a part of ${repository} with ${status}`)
}

/** Through node:http, since fetch cannot send a file with its length. */
function put(target: URL, size: number, content: Buffer | string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sending = request(
      target,
      { method: 'PUT', headers: { 'content-type': 'application/octet-stream', 'content-length': size } },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      },
    )
    sending.on('error', reject)
    if (typeof content === 'string') pipeline(createReadStream(content), sending).catch(reject)
    else sending.end(content)
  })
}

function blobOf(bytes: Buffer): Blob {
  return { digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, size: bytes.length }
}
