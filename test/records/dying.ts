/** Runs a function of records/ as a process that dies at one of its writes. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { behindStore } from '../harness/records.ts'
import { mortalClient } from '../kill/mortal-client.ts'

export interface Point {
  when: 'before' | 'after'
  write: number
}

/** Right before and right after each of the first two writes. */
export const points: readonly Point[] = [1, 2].flatMap((write) => [
  { when: 'before', write },
  { when: 'after', write },
])

/** No call after the death of the process reaches the cluster. */
export async function dyingAt(
  client: ClusterClient,
  point: Point,
  run: (client: ClusterClient) => Promise<unknown>,
): Promise<void> {
  let dead = false
  const life = <R>(write: () => Promise<R>): Promise<R> => (dead ? Promise.reject(new Error('dead')) : write())
  const last: ClusterClient = {
    ...client,
    create: (type, object, options) => life(() => client.create(type, object, options)),
    replace: (type, object, options) => life(() => client.replace(type, object, options)),
    patch: (ref, patch, options) => life(() => client.patch(ref, patch, options)),
    delete: (ref, options) => life(() => client.delete(ref, options)),
  }
  const mortal = mortalClient(last, () => {
    dead = true
    throw new Error('died')
  })
  mortal.arm({ ...point, about: '' })
  await run(mortal.client).catch(() => undefined)
  expect(dead, 'it died').to.equal(true)
}

/** The stores of one replica: their caches are lost when the process dies. */
export const storesOf = (own: ClusterClient) => {
  return {
    client: own,
    now: () => new Date(),
    projects: behindStore<Project>(own, resourceTypes.project),
    cloudConnections: behindStore<CloudConnection>(own, resourceTypes.cloudConnection),
  }
}
/** Reads a Secret in svc-system. */
export const secretOf = (client: ClusterClient, name: string) =>
  client.get<KubeObject & { data?: Record<string, string> }>({
    type: coreTypes.secret,
    namespace: systemNamespace,
    name,
  })

/** The text of one value. */
export const plain = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString()
