/** Builds a server from its pinned Go module; go.sum in the wrapper module verifies every source file. */
import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, getPriority, setPriority, totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commandLine, signalGroup } from '../processes/child.ts'
import type { Server } from './server.ts'

const run = promisify(execFile)
const gibibyte = 1024 ** 3
/** The most disk space that compiling one group takes, with its downloaded modules. */
const spaceNeeded = 5 * gibibyte
const outputTailLines = 8
/** Memory for each core, on which a compiler runs, from which on it rarely collects its garbage. */
const roomyBytes = 4 * gibibyte
/** A slightly lower priority than the rest of the machine; with a much lower one a busy machine would never finish. */
const niceness = 5
const workPrefix = 'making-'
/** Without what the linker takes out again with -s -w: the same executables for a quarter less processor time. */
const compilerFlags = '-gcflags=all=-dwarf=false'

/** Thrown with one plain sentence that names the remedy. */
export class BuildImpossible extends Error {}

export interface BuildPlace {
  /** Folder of the wrapper modules. */
  readonly modulesDir: string
  /** svc's folder in the user's cache; builds use temporary folders inside. */
  readonly cacheDir: string
  readonly env: NodeJS.ProcessEnv
}

/** A separate build cache, since it grows to gigabytes: `forgetBuildCache` removes it after the last build. */
const buildCacheOf = (cacheDir: string): string => join(cacheDir, 'go-build')

/** Removes the leftovers of an interrupted build. Only while no build runs. */
export function removeUnfinished(cacheDir: string): void {
  if (!existsSync(cacheDir)) return
  for (const name of readdirSync(cacheDir))
    if (name.startsWith(workPrefix)) rmSync(join(cacheDir, name), { recursive: true, force: true })
}

export function forgetBuildCache(cacheDir: string): void {
  rmSync(buildCacheOf(cacheDir), { recursive: true, force: true })
}

function environment({ cacheDir, env }: BuildPlace, { partsInC }: Server): NodeJS.ProcessEnv {
  return {
    // One core compiles the whole of SQLite while the other waits: a third of the time of -O2 -g, Go's own choice.
    CGO_CFLAGS: '-O1',
    ...collection(Math.min(totalmem(), process.constrainedMemory() || Infinity) / availableParallelism()),
    ...env,
    GOCACHE: buildCacheOf(cacheDir),
    GOFLAGS: '-buildvcs=false -mod=readonly',
    GOWORK: 'off',
    GO111MODULE: 'on',
    CGO_ENABLED: partsInC === true ? '1' : '0',
    GOOS: '',
    GOARCH: '',
  }
}

/** Compiling is a fifth faster with less frequent garbage collection, and a tenth more where there is memory for it. */
function collection(bytesOfCore: number): NodeJS.ProcessEnv {
  if (bytesOfCore < roomyBytes) return { GOGC: '400' }
  return { GOGC: '1600', GOMEMLIMIT: String(roomyBytes / 2) }
}

function checkSpace(name: string, cacheDir: string): void {
  mkdirSync(cacheDir, { recursive: true })
  const { bavail, bsize } = statfsSync(cacheDir)
  const free = bavail * bsize
  if (free >= spaceNeeded) return
  const inGibibytes = (bytes: number): string => (bytes / gibibyte).toFixed(1)
  throw new BuildImpossible(
    `there is no space to build ${name}: ${cacheDir} has ${inGibibytes(free)} GiB free, ${inGibibytes(spaceNeeded)} GiB are needed`,
  )
}

/** Runs inside the wrapper module, so that Go may switch to the toolchain of its go.mod. */
async function checkGo(name: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await run('go', ['env', 'GOVERSION'], { cwd: folder, env })
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string }
    const advice = `install Go 1.26 or newer from https://go.dev/dl, or name an executable in the environment`
    if (code === 'ENOENT')
      throw new BuildImpossible(
        `${name} is neither on this machine nor to be downloaded, and there is no Go to build it: ${advice}`,
      )
    throw new BuildImpossible(
      `${name} cannot be built because Go is too old (${stderr?.trim().split('\n').at(-1)}): ${advice}`,
    )
  }
}

/** The build replaces each altered module by a copy, which Go has verified like the others. */
async function alterModules(server: Server, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  for (const [index, { module, files }] of (server.altered ?? []).entries()) {
    await run('go', ['mod', 'download', module], { cwd: folder, env })
    const verified = (await run('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd: folder, env })).stdout.trim()
    const copy = join(folder, `source-${index}`)
    cpSync(verified, copy, { recursive: true })
    await run('chmod', ['-R', 'u+w', copy]) // Go keeps its modules read-only
    for (const [path, from] of Object.entries(files)) {
      if (from === '') rmSync(join(copy, path))
      else cpSync(join(folder, from), join(copy, path))
    }
    await run('go', ['mod', 'edit', '-replace', `${module}=./source-${index}`], { cwd: folder, env })
  }
}

function describeFailure(name: string, output: string): string {
  const tail = output.trim().split('\n').slice(-outputTailLines).join('\n')
  if (/no space left on device/.test(output))
    return `there is no space left to build ${name}; free some and start again`
  if (/dial tcp|i\/o timeout|no such host|proxyconnect|connection refused/.test(output)) {
    return `${name} cannot be built because the Go module proxy does not answer: ${output.trim().split('\n').at(-1)}`
  }
  return `go build of ${name} failed:\n${tail}`
}

/**
 * Runs go build, which uses every core by itself, in its own process group, since a killed go leaves its compilers
 * running.
 */
function compile(name: string, args: string[], folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const [command, words] = commandLine({ command: 'go', args: ['build', ...args] })
    const go = spawn(command, words, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
    // Who began with a lower priority keeps it: to raise one is for root alone.
    if (go.pid !== undefined) setPriority(go.pid, Math.max(niceness, getPriority()))
    const stop = (): void => {
      signalGroup(go.pid ?? 0, 'SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
    process.once('exit', stop)
    let output = ''
    go.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    go.once('error', reject)
    go.once('close', (code) => {
      process.removeListener('exit', stop)
      if (code === 0) resolve()
      else reject(new BuildImpossible(describeFailure(name, output)))
    })
  })
}

/** Writes the executable to `target`. Throws BuildImpossible with a sentence for the user. */
export async function buildServer(name: string, server: Server, place: BuildPlace, target: string): Promise<void> {
  checkSpace(name, place.cacheDir)
  const folder = mkdtempSync(join(place.cacheDir, workPrefix))
  // The compiler's own files go with the folder, also where the build is killed.
  const env = { ...environment(place, server), GOTMPDIR: folder }
  try {
    cpSync(join(place.modulesDir, server.group), folder, { recursive: true })
    await checkGo(name, folder, env)
    const variables = (server.variables ?? []).map((variable) => `-X ${variable}`)
    await alterModules(server, folder, env)
    const whole = server.partsInC === true ? ['-linkmode external', '-extldflags -static'] : []
    const linking = ['-s', '-w', ...whole, ...variables].join(' ')
    const flags = ['-trimpath', compilerFlags, '-tags', server.tags ?? '', '-ldflags', linking]
    await compile(name, [...flags, '-o', target, server.package], folder, env)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
