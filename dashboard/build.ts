/** Builds the dashboard into `dist/dashboard`: `node dashboard/build.ts`. Nothing is done where it is there already. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = join(import.meta.dirname, '..')
const outDir = join(root, 'dist/dashboard')
const sources = ['dashboard/**/*.{ts,tsx,css,html,svg,json}', '{contract,client}/**/*.ts', 'package-lock.json']
/** Shorter than this, an answer is one packet with or without compression. */
const compressFrom = 1024
const text = ['.js', '.css', '.svg']
const stampName = 'built-from'

/**
 * The folder of the built dashboard. Its sources decide whether it is built again, so that two checkouts of one commit
 * have the same; a concurrent start never reads half a build.
 */
export async function buildDashboard(): Promise<string> {
  const stamp = await stampOfSources()
  if (await isBuilt(stamp)) return outDir
  const draft = `${outDir}.${process.pid}.tmp`
  const before = `${outDir}.${process.pid}.old`
  try {
    await bundle(draft)
    await compressAll(join(draft, 'assets'))
    await writeFile(join(draft, stampName), stamp)
    if (await isBuilt(stamp)) return outDir // another process was faster, and may serve it already
    await mkdir(dirname(outDir), { recursive: true })
    if (existsSync(outDir)) await rename(outDir, before)
    await rename(draft, outDir).catch(async (error: unknown) => {
      if (!(await isBuilt(stamp))) throw error // another process was faster
    })
  } finally {
    await Promise.all([draft, before].map((folder) => rm(folder, { recursive: true, force: true })))
  }
  return outDir
}

const isBuilt = async (stamp: string): Promise<boolean> =>
  (await readFile(join(outDir, stampName), 'utf8').catch(() => '')) === stamp

async function stampOfSources(): Promise<string> {
  const paths: string[] = []
  for await (const path of glob(sources, { cwd: root })) paths.push(path)
  const hash = createHash('sha256')
  for (const path of paths.toSorted())
    hash
      .update(path)
      .update('\0')
      .update(await readFile(join(root, path)))
  return hash.digest('hex')
}

/** Relative addresses: the dashboard works below any path prefix. No asset becomes a `data:` URL, as the CSP wants. */
async function bundle(to: string): Promise<void> {
  const [{ build }, { default: react }, { default: tailwind }] = await Promise.all([
    import('vite'),
    import('@vitejs/plugin-react'),
    import('@tailwindcss/vite'),
  ])
  await build({
    configFile: false,
    root: join(root, 'dashboard'),
    base: './',
    publicDir: false,
    logLevel: 'warn',
    plugins: [react(), tailwind()],
    build: {
      outDir: to,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      target: 'es2023',
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 700,
      manifest: 'manifest.json',
      license: { fileName: 'licences.md' },
    },
  })
}

/** Beside each asset what browsers ask for; made once, and better than what a server has time for. */
async function compressAll(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => text.includes(extname(name)))
  await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name)
      const bytes = await readFile(file)
      if (bytes.length < compressFrom) return
      const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
      await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }))
      await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
    }),
  )
}

if (import.meta.main) console.log(await buildDashboard())
