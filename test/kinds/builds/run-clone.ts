/** Runs the script that fetches a repository, in a folder of its own instead of the paths of the pod. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatedDockerfiles, standardBases } from '../../../kinds/builds/dockerfiles.ts'
import { cloneScript } from '../../../kinds/builds/scripts.ts'

export interface CloneRun {
  code: number | null
  output: string
  /** The termination message. */
  said: string
  /** Holds `work`, as the pod has it at `/work`. */
  place: string
}

/**
 * @param login the files of the mount `/run/git`
 * @param authorities the file of the mount `/run/trust`
 */
export async function runClone(
  folder: string,
  env: Readonly<Record<string, string>>,
  login: Readonly<Record<string, string>> = {},
  authorities?: string,
): Promise<CloneRun> {
  const place = mkdtempSync(join(folder, 'run-'))
  for (const [name, value] of Object.entries(login)) {
    mkdirSync(join(place, 'git'), { recursive: true })
    writeFileSync(join(place, 'git', name), value)
  }
  if (authorities !== undefined) {
    mkdirSync(join(place, 'trust'))
    writeFileSync(join(place, 'trust', 'authorities.pem'), authorities)
  }
  mkdirSync(join(place, 'generated'))
  mkdirSync(join(place, 'home'))
  for (const [kind, text] of Object.entries(generatedDockerfiles(standardBases, 8080, { args: [], secrets: [] })))
    writeFileSync(join(place, 'generated', kind), text)
  const said = join(place, 'said')
  const script = cloneScript
    .replaceAll('/dev/termination-log', said)
    .replaceAll('/run/git', join(place, 'git'))
    .replaceAll('/run/trust', join(place, 'trust'))
    .replaceAll('/run/generated', join(place, 'generated'))
    .replaceAll('/run/home', join(place, 'home'))
    .replaceAll('/work/', `${join(place, 'work')}/`)
  const usual = { BRANCH: 'main', COMMIT: '', CONTEXT: '.', DOCKERFILE: 'Dockerfile', KNOWN_REVISION: '' }
  const child = spawn('sh', ['-c', script], { env: { PATH: process.env['PATH'] ?? '', ...usual, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output, place, said: existsSync(said) ? readFileSync(said, 'utf8') : '' }
}
