/** Which store a call is about. */
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { notFound } from '../../records/edit-record.ts'
import type { Needs } from '../context/needs.ts'

export async function storeOf({ records }: Needs, name: string): Promise<ObjectStore> {
  const store = await records.objectStores.read(name)
  if (store === undefined) throw notFound('bucket')
  return store
}
