/** Which processes and pods are killed, when and for how long: all of it follows from the seed of the run. */
import type { Death } from './mortal-client.ts'
import { chanceFrom } from './seeded.ts'

export const victims = [
  'worker',
  'workers',
  'api',
  'apis',
  'temporal',
  'kube-apiserver',
  'etcd',
  'object-server',
  'database-server',
  'cloud',
] as const
export type Victim = (typeof victims)[number]

export interface Kill {
  seed: number
  victims: readonly Victim[]
  /** All at the same moment, or with a pause between them. */
  manner: 'together' | 'in turn'
  /** Counted from the begin of the operations; the kill comes sooner when fewer than twenty are left. */
  afterMs: number
  pauseMs: number
  /** Time until the killed processes are started again. */
  downMs: number
  /** One worker or api dies at one of its writes instead of at a given time. */
  death?: Omit<Death, 'about'>
  /** Terminates every open run as well. */
  terminate: boolean
  /** Hits the next pod of a backup, a restore or a drill as well. */
  pod?: PodDeath
}

export interface PodDeath {
  /** How long its script has worked by then. */
  afterMs: number
  /** Its process is killed, as by a full memory, or it is deleted, as by a drain of its node. */
  manner: 'killed' | 'deleted'
}

const combinations = {
  worker: 16,
  workers: 12,
  api: 14,
  apis: 6,
  temporal: 12,
  'kube-apiserver': 10,
  etcd: 8,
  'object-server': 6,
  'database-server': 4,
  cloud: 6,
  'worker object-server': 3,
  'worker cloud': 3,
  'worker database-server': 3,
  'workers object-server cloud': 2,
  'etcd kube-apiserver': 4,
  'workers temporal': 4,
  'workers apis': 3,
  'apis temporal': 2,
  'worker kube-apiserver': 3,
  'temporal kube-apiserver': 2,
  'workers apis temporal kube-apiserver etcd': 4,
} as const

/** About as long as a script works. */
const mostPodMs = 1_200

export function killOf(seed: number): Kill {
  const chance = chanceFrom(seed)
  const chosen = chance.weighed(combinations).split(' ') as Victim[] // the table above has no other names
  const [first] = chosen
  const alone = chosen.length === 1 && (first === 'worker' || first === 'api')
  return {
    seed,
    victims: chosen,
    manner: chance.pick(['together', 'in turn']),
    afterMs: chance.whole(2_500),
    pauseMs: 50 + chance.whole(500),
    downMs: chance.whole(1_200),
    ...(alone && chance.percent(60)
      ? { death: { when: chance.pick(['before', 'after']), write: 1 + chance.whole(first === 'api' ? 8 : 30) } }
      : {}),
    terminate: chance.percent(8),
    // The last of all: what a seed does else stays the same.
    ...(chance.percent(60)
      ? { pod: { afterMs: chance.whole(mostPodMs), manner: chance.pick(['killed', 'deleted']) } }
      : {}),
  }
}
