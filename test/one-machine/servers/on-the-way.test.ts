/** What a test run prints about servers that are made while it waits. */
import { expect } from 'chai'
import { logProgress } from '../../harness/servers.ts'

describe('a test run that waits for servers', () => {
  /** The stderr output for these lines. */
  const saidOf = (lines: readonly string[]): string => {
    const write = process.stderr.write
    let said = ''
    process.stderr.write = (text) => {
      said += String(text)
      return true
    }
    try {
      for (const line of lines) logProgress(line)
    } finally {
      process.stderr.write = write
    }
    return said
  }

  it('says so once, however long it waits, and again only for another thing', () => {
    const waiting = 'process 12 is making servers for the same cache; waiting for it'
    const building = (spent: number) => `building etcd 3.6.8 from source, ${spent} s so far, about ${60 - spent} s left`
    expect(saidOf([waiting, waiting, waiting, building(1), building(6), building(11)])).to.equal(
      `${waiting}\n${building(1)}\n`,
    )
  })

  it('gives the test that waits more time with every line, also with those it does not repeat', function () {
    this.timeout(30_000)
    saidOf(['building etcd 3.6.8 from source, 1 s so far', 'building etcd 3.6.8 from source, 6 s so far'])
    expect(this.timeout()).to.be.greaterThan(30_000 + 15_000)
  })
})
