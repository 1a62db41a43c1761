/** Chromium for tests of pages: the one of this machine, or else Debian's, installed by apt. */
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

/**
 * The one without windows first: each page of a whole Chromium starts the window around it too, which costs three times
 * the processor time.
 */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser'] as const
const debianPackage = names[0]

function find(): string | undefined {
  const own = process.env['SVC_CHROMIUM']
  if (own !== undefined && own !== '') return own
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
}

/** @throws a plain sentence where it is missing and cannot be installed */
async function chromiumPath(): Promise<string> {
  const found = find()
  if (found !== undefined) return found
  if (!aptIsHere() || process.getuid?.() !== 0)
    throw new Error(`install Chromium (Debian has it in the package ${debianPackage}), or name it in SVC_CHROMIUM`)
  console.log(`      installing Debian packages: ${debianPackage}`)
  await withLists(() => aptInstall([debianPackage]))
  return find() ?? join('/usr/bin', debianPackage)
}

/** A new browser, with a profile of its own; its first start on a machine may install it, which takes a minute. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: await chromiumPath(), args })
}
