/** Debian's package lists, with a stand-in for apt-get. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { withLists } from '../../../one-machine/debian/apt.ts'
import { temporaryFolder, writeScript } from '../temporary.ts'

describe('what needs package lists', () => {
  const folder = temporaryFolder()
  const path = process.env['PATH']
  const updates = (): number => readFileSync(join(folder(), 'updates'), 'utf8').trim().split('\n').length
  /** Fails with one of these lines per call, then succeeds. */
  const installApt = (...failures: string[]): void => {
    const says = failures.map((line, index) => `[ $n = ${index + 1} ] && { echo "${line}" >&2; exit 100; }`)
    writeScript(
      join(folder(), 'apt-get'),
      `echo "$@" >> ${folder()}/updates`,
      `n=$(wc -l < ${folder()}/updates)`,
      ...says,
      'exit 0',
    )
    process.env['PATH'] = `${folder()}${delimiter}${path}`
  }
  /** Work that succeeds from this attempt on. */
  const workFrom = (attempt: number) => {
    let tried = 0
    return async () => {
      tried += 1
      if (tried < attempt) throw new Error('no such package')
      return tried
    }
  }
  afterEach(() => {
    process.env['PATH'] = path
  })

  it('is done at once where they are there, and once more with new ones where it fails', async () => {
    installApt()
    expect(await withLists(workFrom(1))).to.equal(1)
    expect(await withLists(workFrom(2))).to.equal(2)
    expect(updates()).to.equal(1)
  })

  it('waits while another process brings them up to date', async () => {
    installApt('E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)')
    expect(await withLists(workFrom(2))).to.equal(2)
    expect(updates()).to.equal(2)
  })

  it('fails with what apt-get says of anything else', async () => {
    installApt('E: The repository is not signed.')
    const error = await withLists(workFrom(2)).catch((reason: unknown) => reason)
    expect(String(error)).to.include('The repository is not signed.')
  })
})
