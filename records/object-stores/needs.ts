/** The needs of the writers of object-store records. */
import type { ClusterClient } from '../../cluster/client.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import type { ConnectionNeeds } from '../secrets/connection-ref.ts'
import type { PlaceNeeds } from '../place/place.ts'
import type { RecordStore } from '../store/record-store.ts'
import type { CapacityNeeds } from '../place/capacity-needs.ts'

export interface StoreNeeds extends PlaceNeeds, ConnectionNeeds, CapacityNeeds {
  client: ClusterClient
  objectStores: RecordStore<ObjectStore>
  now: () => Date
}
