/** The catalogue: every file of templates/, read once when the process starts. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { template, type Template } from '../../kinds/templates/template.ts'

const folder = fileURLToPath(new URL('../../templates', import.meta.url))

/** The templates by id. Throws, with the name of the file, for an invalid one or one whose id is not its file name. */
export function readCatalogue(): ReadonlyMap<string, Template> {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
  return new Map(files.map((file) => [file.replace(/\.yaml$/, ''), readTemplate(file)] as const))
}

function readTemplate(file: string): Template {
  const read = template.safeParse(parse(readFileSync(join(folder, file), 'utf8')))
  if (!read.success) throw new Error(`templates/${file} is no template: ${read.error.message}`)
  if (`${read.data.id}.yaml` !== file) throw new Error(`templates/${file} calls itself ${read.data.id}`)
  return read.data
}
