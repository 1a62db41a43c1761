/**
 * The image contains the packages of the lock file, and a build with any others fails. It contains nothing that an
 * operator keeps secret in the checkout that it is built from.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')
const script = join(root, 'deploy/check-packages.mjs')

interface Package {
  version: string
  integrity?: string
  dev?: boolean
  optional?: boolean
}
const packages: Record<string, Package> = {
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/b': { version: '2.0.0', integrity: 'sha512-b' },
}

/** The output of the check; '' when it passes. */
async function check(locked: object, installed: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-packages-'))
  try {
    await mkdir(join(folder, 'node_modules'))
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': { name: 'svc' }, ...locked } }))
    await writeFile(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }))
    return await promisify(execFile)(process.execPath, [script, folder]).then(
      () => '',
      (error: unknown) => (error as { stderr: string }).stderr.trim() || 'it fails',
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe('The packages of the image', () => {
  const other = { version: '9.0.0', integrity: 'sha512-o' }
  for (const [what, locked, installed, said] of [
    ['those of the lock file pass', packages, packages, ''],
    [
      'what only builds, or is for another system, may be missing',
      { ...packages, 'node_modules/d': { ...other, dev: true }, 'node_modules/o': { ...other, optional: true } },
      packages,
      '',
    ],
    [
      'another version fails',
      packages,
      { ...packages, 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } },
      'node_modules/a is 1.0.1 instead of 1.0.0',
    ],
    [
      'another file fails',
      packages,
      { ...packages, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' } },
      'node_modules/a@1.0.0 is another file than the lock file names',
    ],
    [
      'one more fails',
      packages,
      { ...packages, 'node_modules/x': other },
      'node_modules/x@9.0.0 is not in the lock file',
    ],
    ['one fewer fails', packages, { 'node_modules/a': packages['node_modules/a'] }, 'node_modules/b@2.0.0 is missing'],
    ['none at all fail', {}, {}, 'it fails'],
  ] as const) {
    it(what, async () => expect(await check(locked, installed)).to.equal(said))
  }

  it('are looked at before the image is made of them, on a Node of one version', () => {
    const file = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
    expect(file).to.match(/npm install .*\\\n && node deploy\/check-packages\.mjs/)
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    expect(file).to.include(`ARG NODE_IMAGE=node:${dependencies['node']}-`)
    const images = [...file.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
    expect(images).to.deep.equal(['${NODE_IMAGE}', 'packages', 'packages', '${NODE_IMAGE}'])
  })
})

describe('The files of the image', () => {
  it('are without the keys, logins and backups that the guides have an operator write into the checkout', () => {
    const ignored = readFileSync(join(root, 'deploy/Dockerfile.dockerignore'), 'utf8').split('\n')
    for (const [guide, file] of [
      ['recovery', 'svc-recovery.key'],
      ['recovery', 'svc.age'],
      ['backups', 'rclone.conf'],
      ['operating', 'logins'],
    ] as const) {
      expect(readFileSync(join(root, `docs/guides/${guide}.md`), 'utf8')).to.include(file)
      expect(
        ignored.some((pattern) => pattern !== '' && matchesGlob(file, pattern)),
        file,
      ).to.equal(true)
    }
  })
})
