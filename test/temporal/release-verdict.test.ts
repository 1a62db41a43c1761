/** Which of several releases makes itself the current one, as a table. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { freePort } from '../../one-machine/processes/index.ts'
import { type KnownRelease, takesOver } from '../../temporal/releases/verdict.ts'

const release = (id: string, since: number, wasCurrent = false): KnownRelease => ({
  id,
  since: BigInt(since),
  wasCurrent,
})
const before = release('0.1.0-a', 1, true)
const now = release('0.2.0-b', 2, true)

const rows: [what: string, own: string, current: string | undefined, known: KnownRelease[], takes: boolean][] = [
  ['is the first one', '0.1.0-a', undefined, [release('0.1.0-a', 1)], true],
  ['follows workers without a version, after an operator went back to them', '0.1.0-a', undefined, [before], true],
  ['is current', '0.2.0-b', '0.2.0-b', [before, now], false],
  ['is new', '0.3.0-c', '0.2.0-b', [before, now, release('0.3.0-c', 3)], true],
  ['is not known to the server yet', '0.3.0-c', '0.2.0-b', [before, now], false],
  ['asks while the server answers for a moment that nothing is known', '0.1.0-a', undefined, [], false],
  ['was current before, as its old worker starts again', '0.1.0-a', '0.2.0-b', [before, now], false],
  ['was current before, as an operator went back from it', '0.2.0-b', '0.1.0-a', [before, now], false],
  [
    'never was current, and came before the current one',
    '0.1.5-x',
    '0.2.0-b',
    [before, release('0.1.5-x', 1), now],
    false,
  ],
  ['is new, while the current one was forgotten by the server', '0.3.0-c', '0.2.0-b', [release('0.3.0-c', 3)], true],
  [
    'came at the same moment, before the other in the alphabet',
    '0.3.0-c',
    '0.3.0-d',
    [release('0.3.0-c', 3), release('0.3.0-d', 3, true)],
    false,
  ],
  [
    'came at the same moment, after the other in the alphabet',
    '0.3.0-d',
    '0.3.0-c',
    [release('0.3.0-c', 3, true), release('0.3.0-d', 3)],
    true,
  ],
]

describe('a release', () => {
  for (const [what, own, current, known, takes] of rows)
    it(`that ${what} ${takes ? 'takes the work over' : 'leaves the work where it is'}`, () =>
      expect(takesOver(own, { current, known })).to.equal(takes))
})

describe('deploy/release.ts', function () {
  this.timeout(60_000) // the deadline of its call is 10 s

  it('names the address at which Temporal does not answer, and the setting of it', async () => {
    const env = { ...process.env, SVC_TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` }
    const script = join(import.meta.dirname, '../../deploy/release.ts')
    const said = await promisify(execFile)(process.execPath, [script], { env }).catch((error: unknown) => String(error))
    expect(said).to.include(
      `svc release: Temporal does not answer at ${env.SVC_TEMPORAL_ADDRESS}: SVC_TEMPORAL_ADDRESS says where it is`,
    )
  })
})
