/** What docs/guides/backups.md has about a restore by hand, so that tests run it as it is written. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Minio } from './minio.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/backups.md'), 'utf8')
const paragraphs = guide.match(/(?:^ {4}.*\n)+/gm) ?? []

/** Commands or settings without a blank line between them, the first of which begins with `text`. */
export function paragraphOf(text: string): string {
  const found = paragraphs.find((each) => each.startsWith(`    ${text}`))
  if (found === undefined) throw new Error(`the guide has nothing that begins with ${text}`)
  return found.replaceAll(/^ {4}/gm, '')
}

/** The line that begins with the program's name, without what it says beside. */
export function lineOf(program: string): string {
  const line = new RegExp(`^ {4}(${program} .*?)(?: +# .*)?$`, 'm').exec(guide)?.[1]
  if (line === undefined) throw new Error(`the guide has no line of ${program}`)
  return line
}

/** With what the reader puts in their place. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((so, [place, value]) => {
    if (!so.includes(place)) throw new Error(`the guide has no ${place} in ${so}`)
    return so.replaceAll(place, () => value)
  }, text)
}

/** The section `[name]` of `rclone.conf` for an object server. */
export const storeSection = (name: string, { endpoint, accessKey, secretKey }: Minio): string =>
  filled(paragraphOf('[store]'), {
    '[store]': `[${name}]`,
    'https://s3.example.com': endpoint,
    'access_key_id = …': `access_key_id = ${accessKey}`,
    'secret_access_key = …': `secret_access_key = ${secretKey}`,
  })

/** A shell script that brings the files of a backup into the folder FOLDER, where it goes on. */
export function download(minio: Minio, { bucket, path, key }: { bucket: string; path: string; key: string }): string {
  const sealed = filled(paragraphOf('[sealed]'), {
    BUCKET: bucket,
    'svc-backups/PROJECT/NAME-1a2b3c4d': path,
    'password = …': `password = $(rclone obscure ${key})`,
  })
  return `set -eu
cd "$FOLDER"
cat >rclone.conf <<END
${storeSection('store', minio)}
${sealed}END
${paragraphOf('rclone --config rclone.conf copy sealed: .')}`
}
