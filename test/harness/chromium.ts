/** Debian's Chromium for tests of pages: the one of this machine, or else installed by apt. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { aptInstall, aptIsHere, withLists } from '../../one-machine/index.ts'

/** Chromium calls its makers' hosts at each start, and wants a sandbox of its own that root does not get. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

function find(): string | undefined {
  const own = process.env['SVC_CHROMIUM']
  if (own !== undefined && own !== '') return own
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => ['chromium', 'chromium-browser'].map((name) => join(folder, name)))
    .find((path) => existsSync(path))
}

/** @throws a plain sentence where it is missing and cannot be installed */
async function chromiumPath(): Promise<string> {
  const found = find()
  if (found !== undefined) return found
  if (!aptIsHere() || process.getuid?.() !== 0)
    throw new Error('install Chromium (Debian has it in the package chromium), or name it in SVC_CHROMIUM')
  console.log('      installing Debian packages: chromium')
  await withLists(() => aptInstall(['chromium']))
  return find() ?? '/usr/bin/chromium'
}

/** A new browser, with a profile of its own; its first start on a machine may install it, which takes a minute. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: await chromiumPath(), args })
}
