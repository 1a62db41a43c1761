/**
 * The manifests of a database server: the user it runs as, its arguments and environment, and that they contain no
 * password.
 */
import { expect } from 'chai'
import type { V1StatefulSet } from '@kubernetes/client-node'
import { databaseSpec } from '../../../kinds/databases/kind.ts'
import { type DatabaseManifest, instanceObjects } from '../../../kinds/databases/manifests.ts'
import { operatedAwaited, operatedObject } from '../../../kinds/databases/cloudnativepg.ts'
import { anyNode } from '../../../kinds/placement/node-choice.ts'

const placing = { name: 'calm-otter', uid: 'uid-1', nodes: anyNode, storage: '10Gi' }
const spec = (change: object = {}) =>
  databaseSpec.parse({ project: 'proj-0a1b2c3d', environment: 'production', ...change })
const isSet = (object: DatabaseManifest): object is DatabaseManifest & V1StatefulSet => object.kind === 'StatefulSet'
const podOf = (change: object, nodes = anyNode) => {
  const pod = instanceObjects(spec(change), { ...placing, nodes }).find(isSet)?.spec?.template.spec
  return pod ?? expect.fail('no StatefulSet')
}

describe('the objects of a database', () => {
  for (const engine of ['postgres', 'mysql', 'redis', 'sqlite'] as const) {
    it(`of ${engine} run without rights, on a read-only file system, with their passwords in files`, () => {
      const pod = podOf({ engine })
      expect(pod).to.include({ automountServiceAccountToken: false, serviceAccountName: 'calm-otter' })
      expect(pod.securityContext).to.include({ runAsNonRoot: true, runAsUser: 999, fsGroup: 999 })
      const [container] = pod.containers
      expect(container?.securityContext).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(container?.env).to.deep.equal([{ name: 'HOME', value: '/tmp' }])
      const secrets = (pod.volumes ?? []).flatMap(({ secret }) => secret?.secretName ?? [])
      expect(secrets).to.deep.equal(
        engine === 'postgres' || engine === 'mysql'
          ? ['calm-otter-password', 'calm-otter-admin']
          : ['calm-otter-password'],
      )
      for (const probe of [container?.startupProbe, container?.readinessProbe, container?.livenessProbe])
        expect(probe?.exec ?? probe?.httpGet).not.to.equal(undefined)
      const size = engine === 'sqlite' ? { cpu: '100m', memory: '128Mi' } : { cpu: '250m', memory: '512Mi' }
      expect(container?.resources).to.deep.equal({ requests: size, limits: size })
    })
  }

  it('carry the labels by which they are found and removed', () => {
    for (const { metadata } of instanceObjects(spec(), placing)) {
      expect(metadata).to.deep.include({
        namespace: 'proj-0a1b2c3d-production',
        labels: {
          'svc.dev/managed-by': 'svc',
          'svc.dev/owner': 'uid-1',
          'svc.dev/project': 'proj-0a1b2c3d',
          'svc.dev/environment': 'production',
        },
      })
    }
  })

  it('ask for the nodes of their tags and region', () => {
    const pod = podOf({}, { region: 'eu', tags: ['ssd'] })
    expect(pod.nodeSelector).to.deep.equal({ 'topology.kubernetes.io/region': 'eu', 'svc.dev/tag-ssd': 'true' })
    expect(pod.tolerations).to.deep.equal([{ key: 'svc.dev/reserved-ssd', operator: 'Exists', effect: 'NoSchedule' }])
    const cluster = operatedObject(spec(), { ...placing, nodes: { region: 'eu', tags: ['ssd'] } })
    expect(cluster.spec.affinity).to.deep.equal({ nodeSelector: pod.nodeSelector, tolerations: pod.tolerations })
  })

  it('with high availability are three copies at least', () => {
    expect(operatedObject(spec({ highAvailability: true }), placing).spec.instances).to.equal(3)
    expect(operatedObject(spec({ highAvailability: true, instances: 5 }), placing).spec.instances).to.equal(5)
    expect(operatedObject(spec(), placing).spec.instances).to.equal(1)
  })

  it('of the operator let a backup copy the server and hold back its WAL, where that is stored', () => {
    const backups = { enabled: true }
    expect(operatedObject(spec({ backups, version: '17' }), placing).spec.postgresql).to.deep.equal({
      pg_hba: ['host replication postgres all scram-sha-256'],
      parameters: { max_slot_wal_keep_size: '1024MB' },
    })
    for (const change of [{}, { backups, version: '12' }])
      expect(operatedObject(spec(change), placing).spec).not.to.have.property('postgresql')
  })

  it('of the operator keep the rules that others wrote, with backups and without', () => {
    const other = 'host all all 10.9.9.9/32 reject'
    const own = 'host replication postgres all scram-sha-256'
    const rulesOf = (change: object, ...found: string[]) =>
      operatedObject(spec(change), placing, { metadata: {}, spec: { postgresql: { pg_hba: found } } }).spec.postgresql
        ?.pg_hba
    const backups = { enabled: true }
    expect(rulesOf({ backups }, other)).to.deep.equal([other, own])
    expect(rulesOf({ backups }, other, own)).to.deep.equal([other, own])
    expect(rulesOf({}, other, own)).to.deep.equal([other])
    expect(rulesOf({}, own)).to.equal(undefined)
  })

  it('of the operator are awaited until its pods are made as they ask', () => {
    const wanted = operatedObject(spec({ resources: { requests: { memory: '1024Mi' } } }), placing).spec
    const cluster = {
      metadata: {},
      spec: wanted,
      status: { phase: 'Cluster in healthy state', readyInstances: 1 },
    }
    const made = (change: object) => {
      const postgres = { name: 'postgres', image: wanted.imageName, resources: wanted.resources, ...change }
      const note = JSON.stringify({ containers: [postgres] })
      return operatedAwaited(cluster, [{ metadata: {} }, { metadata: { annotations: { 'cnpg.io/podSpec': note } } }])
    }
    const begin = 'waiting for the operator to begin'
    expect(made({ image: 'ghcr.io/cloudnative-pg/postgresql:16.1' })).to.equal(begin)
    expect(made({ resources: { limits: { cpu: '250m', memory: '512Mi' } } })).to.equal(begin)
    expect(made({ resources: { limits: { cpu: '0.25', memory: '1Gi' } } })).to.equal('')
    expect(
      operatedAwaited(cluster, [{ metadata: { annotations: { 'cnpg.io/podSpec': 'of a later form' } } }]),
    ).to.equal('')
  })

  it('name the first database as the record does', () => {
    const [container] = podOf({ databaseName: 'orders' }).containers
    expect(container?.command?.[2]).to.include("database='orders'")
  })
})
