/** Bundles the workflows into one file and ends: `node temporal/releases/bundle-workflows.ts FILE`. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

const [target] = process.argv.slice(2)
if (target === undefined) throw new Error('usage: node temporal/releases/bundle-workflows.ts FILE')
const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url))
const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') })
mkdirSync(dirname(target), { recursive: true })
// Renamed into place, so that no reader finds a part of the file.
const whole = `${target}.${process.pid}`
writeFileSync(whole, code)
renameSync(whole, target)
