/**
 * Fails when node_modules differs from package-lock.json: `node deploy/check-packages.mjs [folder]`. npm install may
 * change what it finds no place for; npm ci, which may not, refuses a lock file without the packages of other systems.
 * Plain JavaScript: it runs before anything is installed.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2] ?? '.'
const read = (path) => JSON.parse(readFileSync(join(folder, path), 'utf8')).packages
const locked = read('package-lock.json')
/** What npm writes down about the packages it has just installed. */
const installed = read('node_modules/.package-lock.json')

const differences = []
for (const [path, { version, integrity }] of Object.entries(installed)) {
  const wanted = locked[path]
  if (wanted === undefined) differences.push(`${path}@${version} is not in the lock file`)
  else if (wanted.version !== version) differences.push(`${path} is ${version} instead of ${wanted.version}`)
  else if (wanted.integrity !== integrity)
    differences.push(`${path}@${version} is another file than the lock file names`)
}
for (const [path, { dev, optional, devOptional, version }] of Object.entries(locked)) {
  if (path === '' || dev || optional || devOptional) continue
  if (installed[path] === undefined) differences.push(`${path}@${version} is missing`)
}
for (const difference of differences) console.error(difference)
process.exitCode = differences.length === 0 && Object.keys(installed).length > 0 ? 0 : 1
