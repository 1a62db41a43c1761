/** The output of a start before it makes servers. */
import { expect } from 'chai'
import { describeFirstStart, type Expected } from '../../one-machine/start/first-start.ts'
import type { ClusterKind } from '../../one-machine/start/options.ts'

describe('a start without all its servers', () => {
  const of = (minutes: number, missing = 12): Expected => ({ missing, seconds: minutes * 60 })
  const cases: readonly [string, ClusterKind, Record<ClusterKind, Expected>, string[]][] = [
    ['says nothing where all are here', 'node', { node: of(0, 0), simulated: of(7, 6), kubeconfig: of(0, 0) }, []],
    [
      'says nothing of one that is built in a moment',
      'node',
      { node: of(0.2, 1), simulated: of(7, 6), kubeconfig: of(0, 0) },
      [],
    ],
    [
      'names the time and what takes less',
      'node',
      { node: of(9.4), simulated: of(7.2, 6), kubeconfig: of(1.6, 1) },
      [
        '12 servers are not on this machine yet. They are downloaded where their publishers can be reached, else built from source:',
        'about 9 min on 2 cores, once. Ctrl-C does no harm, the next start goes on. What takes less:',
        '  npm start -- --cluster kubeconfig (a cluster of yours): about 2 min',
        '  npm start -- --cluster simulated (pods are only played): about 7 min',
      ],
    ],
    [
      'says what needs no server at all',
      'simulated',
      { node: of(9), simulated: of(5, 5), kubeconfig: of(0, 0) },
      [
        '5 servers are not on this machine yet. They are downloaded where their publishers can be reached, else built from source:',
        'about 5 min on 2 cores, once. Ctrl-C does no harm, the next start goes on. What takes less:',
        '  npm start -- --cluster kubeconfig (a cluster of yours): at once',
      ],
    ],
  ]
  for (const [what, kind, expected, lines] of cases)
    it(what, () => expect(describeFirstStart(kind, 2, expected)).to.deep.equal(lines))
})
