/** The release of svc that a worker runs: the version of the package and a hash of its workflows. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundle } from '@temporalio/worker'

export interface Release {
  /** `0.1.0-1f2e3d4c5b6a`; the same on every machine that runs the same image or checkout. */
  id: string
  workflows: WorkflowBundle
}

const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url))
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
/** The source map, left out of the hash since it has the paths of the build machine. */
const sourceMap = /\n\/\/# sourceMappingURL=.*$/s
const digits = 12

/**
 * The release of this checkout, with the workflow bundle in `codePath`; without it the workflows are bundled here,
 * which takes about two seconds.
 */
export async function loadRelease(codePath?: string): Promise<Release> {
  const code =
    codePath === undefined
      ? (await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') })).code
      : readFileSync(codePath, 'utf8')
  const hash = createHash('sha256').update(code.replace(sourceMap, '')).digest('hex')
  return { id: `${version}-${hash.slice(0, digits)}`, workflows: { code } }
}
