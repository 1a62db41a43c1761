/** Bundles the workflows once, at the build of an image, so that a worker starts faster: `node deploy/bundle-workflows.ts FILE`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode } from '@temporalio/worker'

const [target] = process.argv.slice(2)
if (target === undefined) throw new Error('usage: node deploy/bundle-workflows.ts FILE')
const { code } = await bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)) })
mkdirSync(dirname(target), { recursive: true })
writeFileSync(target, code)
console.log(`the workflows are bundled in ${target}`)
