/**
 * A short seeded part of `npm run test:kill -- --releases`: the work changes between two releases while workers are
 * killed.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { dnsWithinMs } from '../harness/dns-server.ts'

const kills = 2
// Kills both workers twice: each time the release that has the runs afterwards is not the one that opened them.
const seed = 103

describe('two releases that the work goes back and forth between', function () {
  this.timeout(600_000 + dnsWithinMs)
  const folder = mkdtempSync(join(tmpdir(), 'svc-release-kills-'))
  const results = join(folder, 'results.jsonl')

  after(() => rmSync(folder, { recursive: true, force: true }))

  it('lose nothing, do nothing twice, and let every accepted operation end', async () => {
    const said: string[] = []
    const child = spawn(process.execPath, [
      'test/kill/run.ts',
      '--releases',
      '--runs',
      String(kills),
      '--seed',
      String(seed),
      '--results',
      results,
    ])
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => said.push(String(text)))
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    expect(code, said.join('')).to.equal(0)
    const outcomes = readFileSync(results, 'utf8').trim().split('\n')
    expect(outcomes.map((line) => (JSON.parse(line) as { outcome: string }).outcome)).to.deep.equal(['held', 'held'])
    expect(said.join(''), 'runs of one release were met by the other').to.match(
      /[1-9]\d* runs that did not fit were opened anew/,
    )
  })
})
