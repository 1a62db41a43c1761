/** `npm run generate`: writes every generated file that differs from its sources. */
import { join } from 'node:path'
import { findDifferences, writeDifferences } from './generated/generated.ts'
import { generators } from './generated/generators.ts'

const root = join(import.meta.dirname, '..')
const differences = await findDifferences(root, generators)
await writeDifferences(root, differences)
for (const { path, why } of differences) console.log(`${why === 'missing' ? 'made' : 'updated'} ${path}`)
console.log(differences.length === 0 ? 'every generated file is up to date' : `${differences.length} files written`)
