/** Helm itself, on the chart of svc, with settings and caches of its own. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { testServer } from './servers.ts'
import { atEnd } from './stack.ts'

const run = promisify(execFile)

export const chart = join(import.meta.dirname, '../../deploy/chart')
/** The first build on a machine takes minutes. */
export const helmWithinMs = 900_000
/** No release may be in svc's own namespaces. */
export const releaseNamespace = 'svc-release'

/** The least that the chart asks for. */
export const needed = { image: { repository: 'registry.test/svc' }, temporal: { address: 'temporal.test:7233' } }

/** What Helm takes the cluster for where it asks none: a build of its module alone believes in an older one. */
export const asked = ['--kube-version', '1.36.3']

let home: Promise<string> | undefined

function useHome(): Promise<string> {
  home ??= mkdtemp(join(tmpdir(), 'svc-helm-')).then((folder) => {
    atEnd(() => rm(folder, { recursive: true, force: true }))
    return folder
  })
  return home
}

/** Its stdout; rejects with what it wrote to stderr. `values` are those of `--values`. */
export async function helm(args: readonly string[], values?: object): Promise<string> {
  const command = await testServer('helm')
  const HOME = await useHome()
  const env = { PATH: process.env['PATH'], HOME }
  const called = run(command, [...args, ...(values === undefined ? [] : ['--values', '-'])], { env })
  called.child.stdin?.end(values === undefined ? '' : JSON.stringify(values))
  try {
    return (await called).stdout
  } catch (error) {
    throw new Error((error as { stderr: string }).stderr.trim(), { cause: error })
  }
}

/** The objects that the chart makes, in the order in which Helm applies them. */
export async function render(values: object, namespace = releaseNamespace): Promise<KubeObject[]> {
  const text = await helm(['template', 'svc', chart, '--namespace', namespace, ...asked], values)
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0]
    const object = document.toJS() as KubeObject | null // a document of comments alone
    return object === null ? [] : [object]
  })
}
