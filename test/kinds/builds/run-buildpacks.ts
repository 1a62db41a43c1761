/** Runs both scripts of a build by buildpacks beside each other in a folder, with a lifecycle that is played. */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { creatorScript } from '../../../kinds/builds/buildpacks.ts'
import { buildScript } from '../../../kinds/builds/scripts.ts'
import { runClone } from './run-clone.ts'

export interface BuildpacksRun {
  /** What the container of BuildKit ends with, and writes. */
  code: number | null
  output: string
  /** Its termination message. */
  said: string
  /** That of the clone. */
  cloned: string
  /** The same of the container of the builder image, whose output has to be in the other one. */
  creator: { code: number | null; output: string }
  /** What the lifecycle was started with, one a line; empty where it was not. */
  args: string[]
  place: string
}

export interface Played {
  /** The shell script in the place of the creator; undefined for an image without one. */
  lifecycle: string | undefined
  env?: Readonly<Record<string, string>>
  variables?: { args?: Record<string, string>; secrets?: Record<string, string> }
}

const destination = 'r.example.test/svc'
export const builderImage = 'r.example.test/builder:1'

/** @param repository the address of what is cloned */
export async function runBuildpacks(folder: string, repository: string, played: Played): Promise<BuildpacksRun> {
  const clone = await runClone(folder, { REPOSITORY: repository, BUILDPACKS: builderImage })
  const { place, said: cloned } = clone
  for (const name of ['lifecycle', 'args', 'secrets', 'builder', 'bin', 'work/workspace']) mkdirSync(join(place, name))
  const { args = {}, secrets = {} } = played.variables ?? {}
  for (const [name, value] of Object.entries(args)) writeFileSync(join(place, 'args', name), value)
  for (const [name, value] of Object.entries(secrets)) writeFileSync(join(place, 'secrets', name), value)
  writeFileSync(
    join(place, 'builder/hidden'),
    Object.values(secrets)
      .map((value) => `${value}\n`)
      .join(''),
  )
  writeFileSync(
    join(place, 'order.toml'),
    '[[order]]\n[[order.group]]\n  id = "acme/ruby"\n[[order]]\n[[order.group]]\nid = "acme/go"\n',
  )
  const program = (path: string, text: string) => {
    writeFileSync(join(place, path), `#!/bin/sh\n${text}\n`)
    chmodSync(join(place, path), 0o755)
  }
  if (played.lifecycle !== undefined) {
    const asked = `for each; do printf '%s\\n' "$each" >>${place}/asked; done`
    program('lifecycle/creator', `${asked}\ncd ${place}\n${played.lifecycle}`)
  }
  program('bin/rootlesskit', 'echo "BuildKit is started" >&2; exit 1')
  program('bin/buildctl', 'exit 1')
  const placed = (script: string, said: string) =>
    [
      ['/work/', `${join(place, 'work')}/`],
      ['/dev/termination-log', said],
      ['/run/build-args', join(place, 'args')],
      ['/run/build-secrets', join(place, 'secrets')],
      ['/run/builder', join(place, 'builder')],
      ['/cnb/lifecycle', join(place, 'lifecycle')],
      ['/workspace', join(place, 'work/workspace')],
    ].reduce((text, [from = '', to = '']) => text.replaceAll(from, to), script)
  const env = {
    PATH: `${join(place, 'bin')}:${process.env['PATH'] ?? ''}`,
    ...{ SERVICE: 'web', DESTINATION: destination, CACHE: 'on', CACHE_IMAGE: '', RUN_IMAGE: '' },
    CNB_ORDER_PATH: join(place, 'order.toml'),
    ...played.env,
  }
  const end = (script: string) => {
    const child = spawn('sh', ['-c', script], { env, detached: true })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    return new Promise<{ code: number | null; output: string }>((resolve) =>
      child.on('close', (code) => resolve({ code, output })),
    )
  }
  const said = join(place, 'said-by-build')
  const [build, creator] = await Promise.all([end(placed(buildScript, said)), end(placed(creatorScript, '/dev/null'))])
  const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  const asked = read(join(place, 'asked')).trim()
  return { ...build, said: read(said), cloned, creator, args: asked === '' ? [] : asked.split('\n'), place }
}
