/** What builds have pushed into the registry of a node, down to the files of its layers. */
import { gunzipSync } from 'node:zlib'

const types = [
  'oci.image.manifest.v1+json',
  'oci.image.index.v1+json',
  'docker.distribution.manifest.v2+json',
  'docker.distribution.manifest.list.v2+json',
]
const accept = types.map((type) => `application/vnd.${type}`).join(', ')

export interface PushedPart {
  tag: string
  digest: string
  /** Bytes as Latin-1, unpacked where the part is a layer. */
  text: string
}

/** The parts of all images of builds whose tag begins so, caches included; `registry` is `host:port`. */
export async function partsOfImages(registry: string, prefix: string): Promise<PushedPart[]> {
  const at = `http://${registry}/v2/svc/builds`
  const { tags } = (await (await fetch(`${at}/tags/list`)).json()) as { tags: string[] }
  const parts: PushedPart[] = []
  for (const tag of tags.filter((each) => each.startsWith(prefix))) {
    const manifest = await (await fetch(`${at}/manifests/${tag}`, { headers: { accept } })).text()
    const digests = new Set([...manifest.matchAll(/sha256:[0-9a-f]{64}/g)].map(([digest]) => digest))
    for (const digest of digests) parts.push({ tag, digest, text: await textOf(`${at}/blobs/${digest}`) })
  }
  return parts
}

async function textOf(url: string): Promise<string> {
  const blob = Buffer.from(await (await fetch(url)).arrayBuffer())
  return (blob[0] === 0x1f && blob[1] === 0x8b ? gunzipSync(blob) : blob).toString('latin1')
}
