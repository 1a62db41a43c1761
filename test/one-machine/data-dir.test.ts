/** The data directory: its owner, its user, and its removal. */
import { expect } from 'chai'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDataDir } from '../../one-machine/start/data-dir.ts'
import { temporaryFolder } from './temporary.ts'

describe('a data directory', () => {
  const folder = temporaryFolder()
  const path = (): string => join(folder(), 'data')

  it('is made, keeps what a start noted, and is given back', () => {
    const first = openDataDir(path())
    first.note({ cluster: 'simulated' })
    first.note({ port: 1234 })
    first.release()
    const second = openDataDir(path())
    expect(second.recall()).to.deep.equal({ cluster: 'simulated', port: 1234 })
    second.release()
  })

  it('is used by one start at a time, and the sentence says where the other one serves', () => {
    const first = openDataDir(path())
    first.note({ port: 8085 })
    expect(() => openDataDir(path())).to.throw(
      `svc already runs on ${path()} (process ${process.pid}, at http://127.0.0.1:8085); stop it with Ctrl-C, or start another with --data and --port`,
    )
    first.release()
  })

  it('is never a folder with things of others', () => {
    mkdirSync(path())
    writeFileSync(join(path(), 'thesis.txt'), 'years of work')
    expect(() => openDataDir(path())).to.throw(
      `${path()} is not empty and was not made by svc; choose another with --data`,
    )
    expect(readdirSync(path())).to.deep.equal(['thesis.txt'])
  })

  it('drops everything but stays locked', async () => {
    const dataDir = openDataDir(path())
    dataDir.note({ cluster: 'node' })
    mkdirSync(join(path(), 'simulated', 'cluster'), { recursive: true })
    await dataDir.reset()
    expect(dataDir.recall()).to.deep.equal({})
    expect(existsSync(join(path(), 'simulated'))).to.equal(false)
    expect(() => openDataDir(path())).to.throw('already runs')
    dataDir.release()
  })

  it('forgives a note that a killed start wrote by half', () => {
    const first = openDataDir(path())
    first.release()
    writeFileSync(join(path(), 'svc-data.json'), '{"clus')
    const second = openDataDir(path())
    expect(second.recall()).to.deep.equal({})
    second.release()
  })
})
