/** The messages that callers read when the cluster refuses a record, from real answers of the API server. */
import { expect } from 'chai'
import type { ClusterClient } from '../../../cluster/client.ts'
import { ClusterError } from '../../../cluster/objects/errors.ts'
import { coreTypes, type ResourceType } from '../../../cluster/objects/resource-type.ts'
import { Problem } from '../../../contract/problem.ts'
import { apiVersion, systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { refuseInvalid } from '../../../records/store/refuse-invalid.ts'
import { useStack } from '../../harness/stack.ts'

const name = 'refused-record'
const app = { project: 'proj-00000000', environment: 'production', source: { image: { image: 'nginx:1' } } }

describe('a record that the cluster refuses', () => {
  let client: ClusterClient
  before(async () => {
    ;({ client } = await useStack())
  })

  const refusal = async (type: ResourceType, spec: object): Promise<unknown> => {
    const record = { apiVersion, kind: type.kind, metadata: { name, namespace: systemNamespace }, spec }
    try {
      await client.create(type, record).catch(refuseInvalid)
    } catch (error) {
      return error
    }
    await client.delete({ type, namespace: systemNamespace, name })
    return undefined
  }

  const rows: [title: string, type: ResourceType, spec: object, sentence: string][] = [
    [
      'a value that is too long',
      resourceTypes.app,
      { ...app, configData: { BIG: 'x'.repeat(70_000) } },
      'BIG may not be more than 65536 bytes',
    ],
    [
      'a list that is too long',
      resourceTypes.app,
      { ...app, sharedVariableRefs: Array.from({ length: 600 }, (_, index) => `A${index}`) },
      'sharedVariableRefs must have at most 500 items',
    ],
    [
      'a value given twice',
      resourceTypes.app,
      { ...app, sharedVariableRefs: ['A', 'B', 'A'] },
      'sharedVariableRefs must not repeat a value',
    ],
    [
      'two fields that depend on each other',
      resourceTypes.database,
      { engine: 'redis', project: 'x' },
      'set project and environment together, or neither',
    ],
    [
      'a rule about one value of a list',
      resourceTypes.objectStore,
      { engine: 'Local', buckets: ['1.2.3.4'] },
      'a bucket name must not look like an IPv4 address',
    ],
    [
      'two rules at once',
      resourceTypes.objectStore,
      { engine: 'Local', buckets: ['1.2.3.4', 'a..b'] },
      'a bucket name must not look like an IPv4 address; a bucket name must not contain two dots in a row',
    ],
    [
      'a value that quotes',
      resourceTypes.objectStore,
      { engine: 'Local', buckets: ['a"b: c"'] },
      "spec.buckets[0] in body should match '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$'",
    ],
    [
      'a rule about the whole record',
      resourceTypes.app,
      { ...app, source: { image: { image: '' } }, deploy: { enabled: true } },
      'a deployed service needs an image',
    ],
    [
      'a number where a map belongs',
      resourceTypes.app,
      { ...app, configData: 5 },
      'spec.configData in body must be of type object: "integer"',
    ],
    [
      'a word that is none of a few',
      resourceTypes.database,
      { engine: 'oracle' },
      'spec.engine: Unsupported value: "oracle": supported values: "postgres", "mysql", "redis", "sqlite"',
    ],
    ['a field that is missing', resourceTypes.objectStore, {}, 'spec.engine: Required value'],
  ]
  for (const [title, type, spec, sentence] of rows) {
    it(`is refused in a sentence: ${title}`, async () => {
      const error = await refusal(type, spec)
      expect(error).to.be.instanceOf(Problem)
      expect(error).to.include({ code: 'invalid_request', message: sentence })
    })
  }

  it('keeps nothing of a refused Secret but the names of its fields', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: systemNamespace },
      type: 'Opaque',
      data: { 'a b': 'aHVzaA==' },
    }
    const error = await client.create(coreTypes.secret, secret).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(ClusterError)
    expect((error as ClusterError).causes).to.deep.equal([])
  })

  it('is another error where the cluster did not judge it', () => {
    const away = new ClusterError(0, 'Unreachable', 'no answer')
    expect(() => refuseInvalid(away)).to.throw(ClusterError, 'no answer')
  })
})
