/** The images that the stack makes itself, since a closed network has no registry: their contents and entry points. */
import { open } from 'node:fs/promises'
import type { LayerEntry } from './layer.ts'
import type { ImageConfig } from './registry.ts'
import { run } from './run.ts'

export interface Image {
  /**
   * Path within the registry; the names that pods use (`svc/hello:1`, `busybox`, `registry.k8s.io/pause:3.10.2`) lead
   * there.
   */
  repository: string
  tags: string[]
  config: ImageConfig
  /** Absolute path of the program on this machine. */
  program: string
  entries(): Promise<LayerEntry[]>
}

/** `minio/minio:latest`, a name without a registry or a digest, as `Image` has it. */
export function partsOfName(name: string): { repository: string; tag: string } {
  const [repository = '', tag = ''] = name.split(':')
  return { repository, tag }
}

/** Numeric, so that a pod with runAsNonRoot may run it. */
const NOBODY = '65532:65532'
const PATH = 'PATH=/usr/local/bin:/usr/bin:/bin'

/** An image of one static program, with the few files that a program expects of a system. */
export function singleProgram(
  repository: string,
  tags: string[],
  program: string,
  inside: string,
  config: ImageConfig = {},
): Image {
  const parents = inside.split('/').slice(0, -1)
  const folders = parents.map((_part, index) => ({
    path: parents.slice(0, index + 1).join('/'),
    folder: true as const,
  }))
  return {
    repository,
    tags,
    program,
    config: { Entrypoint: [`/${inside}`], Env: [PATH], ...config },
    entries: async () => [...systemFiles(), ...folders, { path: inside, program }],
  }
}

export function pauseImage(program: string, tag: string): Image {
  return {
    ...singleProgram('pause', [tag], program, 'pause', { User: '65535:65535' }),
    entries: async () => [{ path: 'pause', program }],
  }
}

/** The sample service: two versions that work and one that does not, to show what a failing deploy looks like. */
export function helloImages(program: string): Image[] {
  return ['1', '2', 'crash'].map((version) =>
    singleProgram('svc/hello', [version], program, 'hello', {
      Entrypoint: ['/hello', version],
      User: NOBODY,
      ExposedPorts: { '8080/tcp': {} },
    }),
  )
}

/** The sample that uses a database and a bucket. */
export function guestbookImage(program: string): Image {
  return singleProgram('svc/guestbook', ['1'], program, 'guestbook', { User: NOBODY, ExposedPorts: { '8080/tcp': {} } })
}

/** BusyBox with all its commands; undefined when the machine's own is not static and would not start in an image. */
export async function busyboxImage(program: string): Promise<Image | undefined> {
  if (await needsLoader(program)) return undefined
  return {
    repository: 'library/busybox',
    tags: ['latest'],
    program,
    config: { Cmd: ['sh'], Env: ['PATH=/bin:/usr/bin'] },
    entries: async () => [...systemFiles(), ...(await busyboxEntries(program))],
  }
}

/** The program and a link for each of its commands. */
export async function busyboxEntries(program: string): Promise<LayerEntry[]> {
  const { stdout } = await run(program, ['--list'])
  const commands = stdout
    .trim()
    .split('\n')
    .filter((name) => name !== 'busybox')
    .sort()
  const links = commands.map((name) => ({ path: `bin/${name}`, link: 'busybox' }))
  const env = [
    { path: 'usr', folder: true as const },
    { path: 'usr/bin', folder: true as const },
    { path: 'usr/bin/env', link: '/bin/env' },
  ]
  return [{ path: 'bin', folder: true }, { path: 'bin/busybox', program }, ...links, ...env]
}

function systemFiles(): LayerEntry[] {
  return [
    { path: 'tmp', folder: true, mode: 0o1777 },
    { path: 'etc', folder: true },
    { path: 'etc/passwd', text: 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n' },
    { path: 'etc/group', text: 'root:x:0:\nnogroup:x:65534:\n' },
    { path: 'etc/nsswitch.conf', text: 'hosts: files dns\n' },
  ]
}

/** A program linked against shared libraries names its loader near its beginning. */
async function needsLoader(program: string): Promise<boolean> {
  const file = await open(program)
  try {
    const start = Buffer.alloc(4096)
    await file.read(start, 0, start.length, 0)
    return start.includes('/ld-linux') || start.includes('/ld-musl')
  } finally {
    await file.close()
  }
}
