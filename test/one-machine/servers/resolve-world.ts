/** Finding servers with a Go of the test, in a folder of each test. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from '../../../one-machine/servers/server.ts'
import { resolveServers } from '../../../one-machine/servers/resolve.ts'
import { temporaryFolder, writeScript } from '../temporary.ts'
import { name, program } from './scripts.ts'

/** For the tests of a `describe`. */
export function useServers() {
  const folder = temporaryFolder()
  const progressLines: string[] = []
  const inside = (path: string): string => join(folder(), path)
  const goCalls = (): string => (existsSync(inside('go-calls')) ? readFileSync(inside('go-calls'), 'utf8') : '')
  const resolve = async (
    server: Server,
    env: NodeJS.ProcessEnv = {},
    more: { keepBuilds?: boolean; mayBuild?: boolean } = {},
  ): Promise<string> => {
    const options = { catalogue: { [name]: server }, cacheDir: inside('cache'), modulesDir: inside('modules') }
    const PATH = [inside('bin'), '/usr/bin', '/bin'].join(':')
    const found = await resolveServers([name], {
      ...options,
      ...more,
      env: { PATH, ...env },
      progress: (line) => progressLines.push(line),
    })
    return found[name]
  }
  /** A Go that records its calls and "builds" a program; the extra lines run first. */
  const installGo = (...lines: string[]): void => {
    writeScript(
      inside('bin/go'),
      `echo "$@" >> ${inside('go-calls')}`,
      ...lines,
      '[ "$1" = build ] || exit 0',
      'while [ "$1" != -o ]; do shift; done',
      `printf '${program('built').replaceAll('\n', '\\n')}' > "$2"`,
    )
  }

  beforeEach(() => {
    progressLines.length = 0
    for (const path of ['bin', 'modules/fake']) mkdirSync(inside(path), { recursive: true })
    writeFileSync(inside('modules/fake/go.mod'), 'module fake\n')
    writeFileSync(inside('modules/fake/go.sum'), '')
  })

  return { progressLines, inside, goCalls, resolve, installGo }
}
