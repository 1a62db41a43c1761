/** Which volumes are a database's, and what it says of a full one. */
import { expect } from 'chai'
import { type Database, databaseSpec } from '../../../kinds/databases/kind.ts'
import { volumeTrouble } from '../../../kinds/databases/volumes.ts'
import type { FullVolume } from '../../../kinds/pods/full-volumes.ts'

describe('a database whose volume is almost full', () => {
  const namespace = 'proj-0a1b2c3d-production'
  const database = {
    metadata: { name: 'orders' },
    spec: databaseSpec.parse({ project: 'proj-0a1b2c3d', environment: 'production' }),
  } as Database
  const volume = (claim: string, share: number, place = namespace): FullVolume => ({ namespace: place, claim, share })

  const rows: [string, FullVolume[], string][] = [
    ['says how full', [volume('data-orders-0', 0.879)], 'its volume is 87 % full; raise storageSize or remove data'],
    [
      'says it of the fullest copy that the operator runs',
      [volume('orders-1', 0.86), volume('orders-12', 0.99)],
      'its volume is 99 % full; raise storageSize or remove data',
    ],
    ['says nothing while none is', [], ''],
    [
      'says nothing of others',
      [
        volume('data-orders-0', 0.9, 'proj-0a1b2c3d-staging'),
        volume('data-orders-archive-0', 0.9),
        volume('orders-archive-1', 0.9),
        volume('my-orders-1', 0.9),
      ],
      '',
    ],
  ]
  for (const [what, full, message] of rows) it(what, () => expect(volumeTrouble(database, full)).to.equal(message))
})
