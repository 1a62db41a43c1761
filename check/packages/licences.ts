/** The licences of the packages that svc uses, from the lock file, and whether svc may use them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Outcome } from '../tool.ts'

/**
 * Their only condition is attribution, also for distribution; SPDX names. Adding one is a decision, not just a line.
 */
const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0', // tables of browsers
  'ISC',
  'MIT',
  'PSF-2.0',
  'Unlicense',
  'Zlib',
])

/** Of what builds and tests svc and is no part of it, besides: conditions on changes to the package's own files. */
const allowedInBuilds: ReadonlySet<string> = new Set(['MPL-2.0'])

/** Read in the package itself, for packages whose metadata names no licence. */
const readByHand: Readonly<Record<string, string>> = { 'unionfs@4.6.0': 'Unlicense' }

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), license: z.string().optional(), dev: z.boolean().optional() }),
  ),
})

export interface Package {
  /** `name@version`. */
  id: string
  /** SPDX expression, '' when unknown. */
  licence: string
  /** Whether only svc's build and tests need it. */
  dev: boolean
}

/** The packages of a project's lock file, each version once, sorted by name. */
export function readPackages(root: string): Package[] {
  const { packages } = lockFile.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))
  const found = new Map<string, Package>()
  for (const [path, { version = '', license, dev = false }] of Object.entries(packages)) {
    if (path === '') continue // the project itself
    const id = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`
    found.set(id, { id, licence: license ?? readByHand[id] ?? '', dev: dev && found.get(id)?.dev !== false })
  }
  return [...found.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** Handles `A AND B` and `A OR B`, also in one pair of brackets; a human has to read other forms. */
export function isAllowed(expression: string): boolean {
  const plain = expression.replace(/^\((.*)\)$/, '$1')
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((licence) => allowed.has(licence)))
}

export async function checkLicences(root: string): Promise<Outcome> {
  const refused = readPackages(root).filter(
    ({ licence, dev }) => !isAllowed(licence) && !(dev && allowedInBuilds.has(licence)),
  )
  const lines = refused.map(
    ({ id, licence }) => `${id} is under ${licence === '' ? 'a licence that its metadata does not name' : licence}`,
  )
  return { ok: lines.length === 0, output: lines.join('\n') }
}

/** docs/licences.md */
export function makeLicencePage(root: string): string {
  const packages = readPackages(root)
  const running = packages.filter(({ dev }) => !dev)
  const byLicence = (list: readonly Package[]) =>
    [...Map.groupBy(list, ({ licence }) => licence)].toSorted(
      (a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1),
    )
  const sections = byLicence(running).map(
    ([licence, list]) => `## ${licence}\n${list.map(({ id }) => id).join(', ')}\n`,
  )
  const building = byLicence(packages.filter(({ dev }) => dev)).map(([licence, list]) => `${licence} ${list.length}`)
  return [
    '# Licences of the packages\n',
    'Made from package-lock.json by `npm run generate`. `npm run check` refuses licences other than those of `check/packages/licences.ts`.\n',
    `What runs in a process of svc: ${running.length} packages, those for other systems and processors counted in.\n`,
    ...sections,
    `## What builds and tests svc\nNo part of what runs; by licence: ${building.join(', ')}.\n`,
  ].join('\n')
}
