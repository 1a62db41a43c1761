/** Files of one start that the next one reads back: whole, or as they were. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { writeWhole } from '../../one-machine/processes/write-whole.ts'
import { readOrMakeCredentials } from '../../one-machine/simulated/credentials.ts'
import { temporaryFolder } from './temporary.ts'

describe('a file that the next start reads back', () => {
  const folder = temporaryFolder()

  it('is replaced at once, with its mode and nothing beside it', () => {
    const file = join(folder(), 'note')
    writeWhole(file, 'first', 0o600)
    writeWhole(file, 'second', 0o600)
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).to.deep.equal(['second', 0o600])
    expect(readdirSync(folder())).to.deep.equal(['note'])
  })

  it('stays as it was where the write fails', () => {
    const file = join(folder(), 'note')
    writeWhole(file, 'first')
    mkdirSync(`${file}.new`) // stands for a full disk
    expect(() => writeWhole(file, 'second')).to.throw()
    expect(readFileSync(file, 'utf8')).to.equal('first')
  })

  it('is made again where a kill of an earlier release cut it short: the token of the simulated cluster', () => {
    const { token, tokenFile } = readOrMakeCredentials(folder())
    expect(readOrMakeCredentials(folder()).token).to.equal(token)
    for (const text of ['', token.slice(0, 9)]) {
      writeFileSync(tokenFile, text)
      const again = readOrMakeCredentials(folder())
      expect(again.token, text).to.match(/^[\w-]{43}$/)
      expect(readFileSync(tokenFile, 'utf8')).to.equal(`${again.token},admin,admin,system:masters\n`)
    }
  })
})
