/** The client against a real kube-apiserver: conditions, conflicts, server-side apply, lists, definitions. */
import type { V1ConfigMap, V1Deployment, V1Secret } from '@kubernetes/client-node'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { createDiscovery } from '../../cluster/discovery.ts'
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from '../../cluster/objects/errors.ts'
import { installCrds, parseCrds } from '../../cluster/install-crds.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { useStack } from '../harness/stack.ts'

type ConfigMap = Sent<V1ConfigMap>

const namespace = 'cluster-client'
const type = coreTypes.configMap
const refOf = (name: string) => ({ type, namespace, name })
const make = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
})
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

const gadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gadgets.cluster.test }
spec:
  group: cluster.test
  scope: Namespaced
  names: { plural: gadgets, singular: gadget, kind: Gadget }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: not-a-definition }
`
const gadgetType = { group: 'cluster.test', version: 'v1', kind: 'Gadget', plural: 'gadgets', namespaced: true }

describe('the cluster client against a real kube-apiserver', () => {
  let client: ClusterClient

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    await client.apply(coreTypes.namespace, { metadata: { name: namespace } }, { manager: 'test' })
  })

  after(() => client.delete({ type: coreTypes.namespace, name: namespace }))

  it('creates, reads, deletes, and says what was not there', async () => {
    const made = await client.create(type, make('plain', { x: '1' }))
    expect(made.metadata.creationTimestamp).to.be.a('string')
    expect(isAlreadyExists(await errorOf(client.create(type, make('plain'))))).to.equal(true)
    expect((await client.get<ConfigMap>(refOf('plain')))?.data).to.deep.equal({ x: '1' })
    expect(await client.delete(refOf('plain'))).to.equal(true)
    expect(await client.delete(refOf('plain'))).to.equal(false)
    expect(await client.get(refOf('plain'))).to.equal(undefined)
    expect(isNotFound(await errorOf(client.patch(refOf('plain'), {})))).to.equal(true)
  })

  it('refuses a conditional replace when the object changed since it was read', async () => {
    const first = await client.create(type, make('replaced', { x: '1' }))
    const second = await client.replace(type, { ...first, data: { x: '2' } })
    expect(second.data).to.deep.equal({ x: '2' })
    expect(isConflict(await errorOf(client.replace(type, { ...first, data: { x: '3' } })))).to.equal(true)
  })

  it('refuses a patch that names an older version or another object', async () => {
    const first = await client.create(type, make('patched', { x: '1' }))
    const { resourceVersion, uid } = first.metadata
    await client.patch(refOf('patched'), { metadata: { resourceVersion, uid }, data: { x: '2' } })
    expect(
      isConflict(await errorOf(client.patch(refOf('patched'), { metadata: { resourceVersion }, data: { x: '3' } }))),
    ).to.equal(true)
    expect(
      isConflict(await errorOf(client.patch(refOf('patched'), { metadata: { uid: 'another' }, data: { x: '3' } }))),
    ).to.equal(true)
    expect((await client.get<ConfigMap>(refOf('patched')))?.data).to.deep.equal({ x: '2' })
  })

  it('deletes only the very object meant', async () => {
    const { metadata } = await client.create(type, make('meant'))
    expect(await client.delete(refOf('meant'), { uid: 'another' })).to.equal(false)
    expect(isConflict(await errorOf(client.delete(refOf('meant'), { resourceVersion: '1' })))).to.equal(true)
    expect(await client.delete(refOf('meant'), metadata.uid === undefined ? {} : { uid: metadata.uid })).to.equal(true)
  })

  it('reports a field that another manager owns as a conflict, and takes it over by force', async () => {
    const apply = (x: string, manager: string, force?: boolean) =>
      client.apply<ConfigMap>(
        type,
        { metadata: { name: 'applied', namespace }, data: { x } },
        { manager, ...(force === undefined ? {} : { force }) },
      )
    await apply('1', 'first')
    const error = await errorOf(apply('2', 'second'))
    expect(isConflict(error)).to.equal(true)
    expect(String(error)).to.contain('conflict with "first": .data.x')
    expect((await apply('2', 'second', true)).data).to.deep.equal({ x: '2' })
  })

  it('changes a status and a scale apart from the rest', async () => {
    const definition: Sent<V1Deployment> = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'scaled', namespace },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'x' } },
        template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'x' }] } },
      },
    }
    await client.create(coreTypes.deployment, definition)
    const ref = { type: coreTypes.deployment, namespace, name: 'scaled' }
    const scale = await client.patch(ref, { spec: { replicas: 1 } }, { subresource: 'scale' })
    expect(scale.kind).to.equal('Scale')
    expect((await client.get<Sent<V1Deployment>>(ref))?.spec?.replicas).to.equal(1)
  })

  it('lists 1,201 objects in three pages, by label, and as metadata only', async function () {
    this.timeout(60_000)
    const names = Array.from({ length: 1_201 }, (_, i) => `page-${String(i).padStart(4, '0')}`)
    await Promise.all(
      names.map((name, i) => {
        const object = make(name, { x: name })
        return client.create(type, {
          ...object,
          metadata: { ...object.metadata, labels: { page: 'yes', even: String(i % 2 === 0) } },
        })
      }),
    )
    const all = await client.list<ConfigMap>(type, { namespace, labelSelector: 'page=yes' })
    expect(all.items.map((item) => item.metadata.name)).to.deep.equal(names)
    expect(all.items[0]).to.include({ apiVersion: 'v1', kind: 'ConfigMap' })
    const even = await client.list<ConfigMap>(type, {
      namespace,
      labelSelector: 'page,even in (true)',
      metadataOnly: true,
    })
    expect(even.items).to.have.length(601)
    expect(even.items[0]).to.include({ apiVersion: 'v1', kind: 'ConfigMap' }).and.not.have.property('data')
    expect((await client.list(type, { namespace, limit: 3 })).items).to.have.length(3)
    expect((await client.list(type, { namespace, labelSelector: 'page=no', metadataOnly: true })).items).to.deep.equal(
      [],
    )
  })

  it('gets a bookmark before a watch ends', async () => {
    const { resourceVersion } = await client.list(type, { namespace })
    const events = await client.watch<ConfigMap>(type, {
      namespace,
      resourceVersion,
      timeoutSeconds: 3,
      silenceMs: 10_000,
    })
    const seen: string[] = []
    await client.create(type, make('watched'))
    for await (const batch of events) seen.push(...batch.map((event) => event.type))
    const [first, ...others] = seen
    expect(first).to.equal('ADDED')
    // The server sends a bookmark when the watch ends, and sometimes one before.
    expect([...new Set(others)]).to.deep.equal(['BOOKMARK'])
  })

  it('names the refused fields of a Secret and not their values', async () => {
    const secret: Sent<V1Secret> = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'secret', namespace },
      type: 'kubernetes.io/tls',
      data: { 'bad key': 'aHVzaA==' },
    }
    const error = await errorOf(client.create(coreTypes.secret, secret))
    expect(isInvalid(error)).to.equal(true)
    expect(String(error)).to.contain('data[bad key]').and.not.contain('aHVzaA==')
  })

  it('installs definitions and serves their objects at once', async () => {
    const discovery = createDiscovery(client)
    expect(await discovery.hasType(coreTypes.deployment)).to.equal(true)
    expect(await discovery.hasType(gadgetType)).to.equal(false)
    const definitions = parseCrds(gadgets)
    expect(definitions).to.have.length(1)
    await installCrds(client, definitions)
    await installCrds(client, definitions)
    const gadget = {
      apiVersion: 'cluster.test/v1',
      kind: 'Gadget',
      metadata: { name: 'a', namespace },
      spec: { size: 1 },
    }
    await client.create(gadgetType, gadget)
    const patched = await client.patch<typeof gadget & { status?: object }>(
      { type: gadgetType, namespace, name: 'a' },
      { status: { ready: true }, spec: { size: 2 } },
      { subresource: 'status' },
    )
    expect(patched.status).to.deep.equal({ ready: true })
    expect(patched.spec).to.deep.equal({ size: 1 })
    // The first discovery caches its answer for half a minute; a new one sees the new type.
    expect(await createDiscovery(client).hasType(gadgetType)).to.equal(true)
  })

  it('says when a definition cannot be installed because its names are taken', async () => {
    await installCrds(client, parseCrds(gadgets))
    const rival = parseCrds(
      gadgets.replace('gadgets.cluster.test', 'rivals.cluster.test').replace('plural: gadgets', 'plural: rivals'),
    )
    const error = await errorOf(installCrds(client, rival, { timeoutMs: 10_000 }))
    await client.delete({ type: coreTypes.customResourceDefinition, name: 'rivals.cluster.test' })
    expect(String(error)).to.contain('rivals.cluster.test cannot be installed')
  })
})
