/** Another release of svc as a run sees it: the same workflows, each with one more step at its beginning. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import * as workflows from '../../workflows/index.ts'
import { atEnd } from './stack.ts'

const root = join(import.meta.dirname, '../..')
const made = new Map<string, Promise<string>>()

/** One more timer: neither release can replay a history of the other one. */
export const oneTimerMore = 'await sleep(1)'

/** The path of its bundle, for SVC_WORKFLOW_BUNDLE. The step is TypeScript and may use `sleep`. */
export function otherRelease(step: string = oneTimerMore): Promise<string> {
  const known = made.get(step)
  if (known !== undefined) return known
  const fresh = bundleWith(step)
  made.set(step, fresh)
  return fresh
}

async function bundleWith(step: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-release-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const sources = join(folder, 'workflows')
  await mkdir(sources)
  const index = join(sources, 'index.ts')
  const wrapped = Object.keys(workflows).map(
    (name) =>
      `export async function ${name}(input: never) {\n  ${step}\n  return await (today.${name} as (input: never) => Promise<unknown>)(input)\n}\n`,
  )
  const head = `import { sleep } from '@temporalio/workflow'\nimport * as today from '${join(root, 'workflows/index.ts')}'\nvoid sleep\n`
  await writeFile(index, `${head}${wrapped.join('')}`)
  const { code } = await bundleWorkflowCode({ workflowsPath: index, logger: new DefaultLogger('WARN') })
  const file = join(folder, 'workflows.js')
  await writeFile(file, code)
  return file
}
