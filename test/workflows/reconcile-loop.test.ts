/** The loop of workflows/reconcile.ts is the only one of runs that reconcile, but for the one its comment names. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')

describe('the loop of a run that reconciles', () => {
  it('is that of reconcile, but for the rollout, which its comment names', () => {
    const going = globSync('workflows/**/*.ts', { cwd: root }).filter((path) =>
      readFileSync(join(root, path), 'utf8').includes('run.continueAsNew('),
    )
    expect(going.toSorted()).to.deep.equal(['workflows/apps/rollout.ts', 'workflows/reconcile.ts'])
    const comment = readFileSync(join(root, 'workflows/reconcile.ts'), 'utf8').split('export async function')[0]
    expect(comment).to.include('workflows/apps/rollout.ts')
  })
})
