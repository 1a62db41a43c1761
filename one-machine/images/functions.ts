/** The images that run functions, for a node that reaches no registry: a runtime from packages, with its runner. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { runtimes } from '../../contract/fields/words.ts'
import { type Image, partsOfName } from './catalogue.ts'
import type { LayerEntry } from './layer.ts'
import { entriesOf, type Packages, unpackPackages } from './unpack.ts'

type FunctionRuntime = (typeof runtimes)[number]

const NOBODY = '65532:65532'
const runners = join(import.meta.dirname, '../../deploy/functions')

const packages: Record<FunctionRuntime, Packages> = {
  // Node itself is the one that runs this very process.
  node: { debian: ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'] },
  python: {
    debian: ['python3.11', 'python3.11-minimal', 'libpython3.11-minimal', 'libpython3.11-stdlib', 'media-types'],
  },
  bun: {
    debian: ['libc6'],
    npm: {
      name: '@oven/bun-linux-x64@1.4.2',
      integrity: 'sha512-9/E/UXOTpSo3YsV5g+FhtTd/qTpiWoKuxS12cqtuYA1ssu9fRAoPQnipFgGyck3tWO63iUdxBiygq+kELFawng==',
    },
  },
}

/** In the order in which their images are made: that of the default runtime comes first. */
export const functionRuntimes = Object.keys(packages) as FunctionRuntime[]

const commands: Record<FunctionRuntime, string[]> = {
  node: ['/usr/bin/node', '/runner/javascript.mjs'],
  python: ['/usr/bin/python3.11', '-B', '-u', '/runner/runner.py'],
  bun: ['/opt/function-bun/bin/bun', '/runner/javascript.mjs'],
}

/** The images that are made here, by their names in the node's own registry. */
export const functionImageNames: Readonly<Record<FunctionRuntime, string>> = {
  node: 'svc/function-node:1',
  python: 'svc/function-python:1',
  bun: 'svc/function-bun:1',
}

/** Fetches the packages of the runtime, the second time from the cache. Throws one sentence. */
export async function functionImage(runtime: FunctionRuntime, progress: (line: string) => void): Promise<Image> {
  const root = await unpackPackages(`function-${runtime}`, packages[runtime], progress)
  const file = runtime === 'python' ? 'runner.py' : 'javascript.mjs'
  const runner = await readFile(join(runners, file), 'utf8')
  const [program = ''] = commands[runtime]
  const { repository, tag } = partsOfName(functionImageNames[runtime])
  const own: LayerEntry[] =
    runtime === 'node'
      ? [
          { path: 'usr/bin', folder: true },
          { path: 'usr/bin/node', program: process.execPath },
        ]
      : []
  return {
    repository,
    tags: [tag],
    program: runtime === 'node' ? process.execPath : join(root, program),
    config: {
      Entrypoint: commands[runtime],
      // Another runner is another image.
      Env: ['PATH=/usr/bin:/bin', 'HOME=/tmp', `SVC_RUNNER=${createHash('sha256').update(runner).digest('hex')}`],
      User: NOBODY,
    },
    entries: async () => [
      { path: 'tmp', folder: true, mode: 0o1777 },
      { path: 'function', folder: true },
      { path: 'runner', folder: true },
      { path: `runner/${file}`, text: runner },
      ...(await entriesOf(root)),
      ...own,
    ],
  }
}
