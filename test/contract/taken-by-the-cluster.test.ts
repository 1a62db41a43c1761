/** Values that the contract takes are taken by the cluster, too: its own checks of quantities, names and hosts. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { z } from 'zod'
import type { ClusterClient } from '../../cluster/client.ts'
import { isInvalid } from '../../cluster/objects/errors.ts'
import { creationPath } from '../../cluster/objects/paths.ts'
import type { ResourceType } from '../../cluster/objects/resource-type.ts'
import { operations } from '../../contract/operations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { useStack } from '../harness/stack.ts'
import { fieldAt, hosts, labels, quantities, sizes } from './field-values.ts'

describe('a value that the contract takes', () => {
  let client: ClusterClient
  before(async () => {
    ;({ client } = await useStack())
  })

  const takes = async (type: ResourceType, spec: object): Promise<boolean> => {
    const body = { apiVersion, kind: type.kind, metadata: { name: 'shared-fields', namespace: systemNamespace }, spec }
    try {
      await client.raw('POST', creationPath(type, systemNamespace), { query: { dryRun: 'All' }, body })
      return true
    } catch (error) {
      if (isInvalid(error)) return false
      throw error
    }
  }
  const service = { project: 'proj-00000000', environment: 'production', source: { image: { image: 'nginx:1' } } }
  const bucketValues = fc.oneof(labels, hosts, fc.ipV4(), fc.constantFrom('a..b', 'abc', 'ab'))
  const rows: [
    field: string,
    values: fc.Arbitrary<string>,
    asked: z.ZodType,
    type: ResourceType,
    spec: (value: string) => object,
    both: boolean,
  ][] = [
    [
      'cpu',
      fc.oneof(quantities, sizes),
      fieldAt(operations['apps.update'].params, 'cpu'),
      resourceTypes.app,
      (cpu) => ({ ...service, resources: { requests: { cpu } } }),
      false,
    ],
    [
      'memory',
      fc.oneof(quantities, sizes),
      fieldAt(operations['apps.update'].params, 'memory'),
      resourceTypes.app,
      (memory) => ({ ...service, resources: { requests: { memory } } }),
      false,
    ],
    [
      'environment',
      labels,
      fieldAt(operations['apps.create'].params, 'environment'),
      resourceTypes.app,
      (environment) => ({ ...service, environment }),
      true,
    ],
    [
      'host',
      hosts,
      fieldAt(operations['apps.update'].params, 'host'),
      resourceTypes.app,
      (host) => ({ ...service, ingress: { host } }),
      false,
    ],
    [
      'bucket',
      bucketValues,
      fieldAt(operations['object-stores.create'].params, 'bucket'),
      resourceTypes.objectStore,
      (name) => ({ ...service, source: undefined, engine: 'Local', buckets: [name] }),
      true,
    ],
  ]
  for (const [field, candidates, asked, type, spec, both] of rows) {
    it(`is taken by the cluster: ${field}`, async function () {
      this.timeout(60_000)
      let seen = 0
      await fc.assert(
        fc.asyncProperty(candidates, async (value) => {
          const taken = asked.safeParse(value)
          if (value === '' || (!taken.success && !both)) return
          seen += taken.success ? 1 : 0
          expect(await takes(type, spec(value)), value).to.equal(taken.success)
        }),
        { numRuns: 100 },
      )
      expect(seen, 'values that were taken at all').to.be.greaterThan(2)
    })
  }
})
