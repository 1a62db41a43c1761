/**
 * A short seeded part of `npm run test:kill`: processes die while at least twenty operations are under way, and every
 * promise holds.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { dnsWithinMs } from '../harness/dns-server.ts'

const kills = 3
// Kills workers, the object server and the clouds; a worker and the database servers; workers, apis, Temporal,
// kube-apiserver and etcd; and each time the pod of a backup.
const seed = 33912

describe('kills at random moments', function () {
  this.timeout(600_000 + dnsWithinMs)
  const folder = mkdtempSync(join(tmpdir(), 'svc-kills-'))
  const results = join(folder, 'results.jsonl')

  after(() => rmSync(folder, { recursive: true, force: true }))

  it('lose nothing, do nothing twice, and let every accepted operation end', async () => {
    const said: string[] = []
    const child = spawn(process.execPath, [
      'test/kill/run.ts',
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
    const outcomes = readFileSync(results, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { outcome: string }).outcome)
    expect(outcomes).to.deep.equal(Array.from({ length: kills }, () => 'held'))
  })
})
