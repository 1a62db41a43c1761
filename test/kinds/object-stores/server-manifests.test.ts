/** The manifests of the object server, and its progress, as tables. */
import type { V1PersistentVolumeClaim, V1Service, V1StatefulSet } from '@kubernetes/client-node'
import { expect } from 'chai'
import { objectStoreSpec } from '../../../kinds/object-stores/kind.ts'
import { samePolicy, minioPolicy } from '../../../kinds/object-stores/bucket-policy.ts'
import { serverObjects, type ServerPlacing } from '../../../kinds/object-stores/server-manifests.ts'
import type { StatefulSetView } from '../../../kinds/pods/stateful-set.ts'
import { serverAwaited } from '../../../kinds/object-stores/server-progress.ts'
import type { PodView } from '../../../kinds/pods/trouble.ts'

const placing: ServerPlacing = {
  name: 'object-server',
  uid: 'uid-1',
  image: 'minio/minio:1',
  rootUid: 'uid-2',
  nodes: { region: '', tags: [] },
}
const made = (spec: object = {}, place: Partial<ServerPlacing> = {}) => {
  const [claim, service, set] = serverObjects(objectStoreSpec.parse({ engine: 'Local', ...spec }), {
    ...placing,
    ...place,
  })
  return { claim: claim as V1PersistentVolumeClaim, service: service as V1Service, set: set as V1StatefulSet }
}
const podOf = (spec: object = {}, place: Partial<ServerPlacing> = {}) => made(spec, place).set.spec?.template.spec

describe('The object server on the cluster', () => {
  it('is one pod with a volume of 10Gi behind svc-minio:9000, all of it marked with its owner', () => {
    const { claim, service, set } = made()
    for (const { metadata } of [claim, service, set]) {
      expect(metadata).to.deep.include({
        name: 'svc-minio',
        namespace: 'svc-system',
        labels: { 'svc.dev/managed-by': 'svc', 'svc.dev/owner': 'uid-1' },
      })
    }
    expect(set.spec?.replicas).to.equal(1)
    expect(claim.spec?.resources?.requests).to.deep.equal({ storage: '10Gi' })
    expect(service.spec?.ports).to.deep.equal([{ name: 's3', port: 9000, targetPort: 's3', protocol: 'TCP' }])
    expect(podOf()?.containers[0]?.image).to.equal('minio/minio:1')
  })

  it('reads its login from the root Secret and restarts when the Secret changes', () => {
    const env = podOf()?.containers[0]?.env?.filter(({ valueFrom }) => valueFrom !== undefined)
    expect(env?.map(({ name, valueFrom }) => [name, valueFrom?.secretKeyRef])).to.deep.equal([
      ['MINIO_ROOT_USER', { name: 'object-server-root', key: 'username' }],
      ['MINIO_ROOT_PASSWORD', { name: 'object-server-root', key: 'password' }],
    ])
    expect(made({}, { rootUid: 'uid-3' }).set.spec?.template.metadata?.annotations).to.not.deep.equal(
      made().set.spec?.template.metadata?.annotations,
    )
  })

  for (const [what, resources, expected] of [
    ['by default', undefined, { requests: { cpu: '250m', memory: '512Mi' }, limits: { cpu: '250m', memory: '512Mi' } }],
    [
      'as requested, with limits alike',
      { requests: { cpu: '1', memory: '2Gi' } },
      { requests: { cpu: '1', memory: '2Gi' }, limits: { cpu: '1', memory: '2Gi' } },
    ],
    [
      'with limits of their own',
      { requests: { cpu: '1', memory: '2Gi' }, limits: { memory: '3Gi' } },
      { requests: { cpu: '1', memory: '2Gi' }, limits: { cpu: '1', memory: '3Gi' } },
    ],
  ] as const) {
    it(`has CPU and memory ${what}`, () => {
      expect(podOf({ resources })?.containers[0]?.resources).to.deep.equal(expected)
    })
  }

  it('runs on nodes of its region with its tags, and tolerates their reservation', () => {
    const pod = podOf({}, { nodes: { region: 'eu', tags: ['ssd'] } })
    expect(pod?.nodeSelector).to.deep.equal({ 'topology.kubernetes.io/region': 'eu', 'svc.dev/tag-ssd': 'true' })
    expect(pod?.tolerations).to.deep.equal([{ key: 'svc.dev/reserved-ssd', operator: 'Exists', effect: 'NoSchedule' }])
  })
})

describe('The progress of the object server', () => {
  const pulling: PodView = {
    metadata: { name: 'p' },
    status: { containerStatuses: [{ name: 'minio', state: { waiting: { reason: 'ErrImagePull' } } }] },
  }
  const up = { observedGeneration: 2, replicas: 1, readyReplicas: 1, updatedReplicas: 1 }
  for (const [what, set, pods, awaited] of [
    ['there is none yet', undefined, [], 'installing the MinIO server'],
    ['it is going away', { metadata: { deletionTimestamp: 'now' } }, [], 'installing the MinIO server'],
    [
      'its controller has not seen it',
      { metadata: { generation: 2 }, status: { ...up, observedGeneration: 1 } },
      [],
      'installing the MinIO server',
    ],
    [
      'its pod starts',
      { metadata: { generation: 2 }, status: { observedGeneration: 2, updatedReplicas: 1 } },
      [],
      'starting the MinIO server',
    ],
    [
      'its pod cannot start',
      { metadata: { generation: 2 }, status: { observedGeneration: 2, updatedReplicas: 1 } },
      [pulling],
      'starting the MinIO server: the image cannot be pulled (ErrImagePull)',
    ],
    [
      'only the pod before is ready',
      { metadata: { generation: 2 }, status: { ...up, updatedReplicas: 0, currentRevision: 'a', updateRevision: 'b' } },
      [],
      'starting the MinIO server',
    ],
    ['the newest pod is ready', { metadata: { generation: 2 }, status: up }, [], ''],
    [
      'it has been up for long',
      { metadata: { generation: 2 }, status: { ...up, updatedReplicas: 0, currentRevision: 'b', updateRevision: 'b' } },
      [],
      '',
    ],
  ] as [string, StatefulSetView | undefined, PodView[], string][]) {
    it(`${what}: ${awaited === '' ? 'nothing is awaited' : awaited}`, () => {
      expect(serverAwaited(set, pods)).to.equal(awaited)
    })
  }
})

describe('The policy of a store', () => {
  const policy = minioPolicy(['proj-00000001.production.photos'])

  it('names its buckets and their objects, and allows nothing on others', () => {
    const resources = policy.Statement.filter(({ Effect }) => Effect === 'Allow').flatMap((statement) =>
      'Resource' in statement ? statement.Resource : ['*'],
    )
    expect(resources).to.deep.equal([
      'arn:aws:s3:::proj-00000001.production.photos',
      'arn:aws:s3:::proj-00000001.production.photos/*',
    ])
  })

  it('is the same in any order, and another one with one action more', () => {
    const turned = {
      Statement: policy.Statement.toReversed().map((each) => ({ ...each, Action: each.Action.toReversed() })),
      Version: policy.Version,
    }
    const wider = {
      ...policy,
      Statement: policy.Statement.map((each) =>
        each.Effect === 'Allow' ? { ...each, Action: [...each.Action, 's3:*'] } : each,
      ),
    }
    expect(samePolicy(policy, turned)).to.equal(true)
    expect(samePolicy(policy, wider)).to.equal(false)
    expect(samePolicy(policy, undefined)).to.equal(false)
  })
})
