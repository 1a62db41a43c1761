/** The checks of the project in their order: fast and informative ones first. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkAudit } from './packages/audit.ts'
import { type Breach, findBreaches } from './imports/find-breaches.ts'
import { findDifferences } from './generated/generated.ts'
import { generators } from './generated/generators.ts'
import { checkLicences } from './packages/licences.ts'
import { type Outcome, runTool } from './tool.ts'

export interface Step {
  name: string
  run(root: string): Promise<Outcome>
}

export const steps: readonly Step[] = [
  { name: 'types', run: (root) => runTool('tsc', ['--noEmit', '-p', '.'], root) },
  { name: 'types of the dashboard', run: checkDashboard },
  { name: 'import boundaries', run: checkBoundaries },
  { name: 'format', run: checkFormat },
  { name: 'lint', run: (root) => runTool('oxlint', ['--type-aware', '--format=unix'], root) },
  { name: 'unused code', run: (root) => runTool('knip', ['--no-progress'], root) },
  { name: 'generated files', run: checkGenerated },
  { name: 'licences', run: checkLicences },
  { name: 'known vulnerabilities', run: (root) => checkAudit(root) },
]

/** Files that are known by their content to be formatted are not parsed again, which takes half a minute. */
async function checkFormat(root: string): Promise<Outcome> {
  return runTool('prettier', ['--check', '--cache', '--cache-strategy=content', '--log-level=warn', '.'], root)
}

/** Browsers have other types than Node: the pages are a project of their own. */
async function checkDashboard(root: string): Promise<Outcome> {
  if (!existsSync(join(root, 'dashboard/tsconfig.json'))) return { ok: true, output: '' }
  return runTool('tsc', ['--noEmit', '-p', 'dashboard'], root)
}

async function checkBoundaries(root: string): Promise<Outcome> {
  const breaches = await findBreaches(root)
  const byRule = Map.groupBy(breaches, (breach) => breach.rule)
  const paragraphs = [...byRule].map(([rule, list]) => describe(rule, list))
  return { ok: breaches.length === 0, output: paragraphs.join('\n') }
}

function describe(rule: string, breaches: readonly Breach[]): string {
  const lines = breaches.map((breach) => `  ${breach.path.join(' -> ')}`)
  return [`${rule}: ${breaches[0]?.comment ?? ''}`, ...lines].join('\n')
}

async function checkGenerated(root: string): Promise<Outcome> {
  const differences = await findDifferences(root, generators)
  const lines = differences.map(
    ({ path, why }) =>
      `${path} is ${why === 'missing' ? 'missing' : 'not what its source gives'}: run npm run generate`,
  )
  return { ok: differences.length === 0, output: lines.join('\n') }
}
