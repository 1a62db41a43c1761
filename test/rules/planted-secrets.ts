/** The Secrets of other owners, and what shows that they were neither touched nor read. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { TestApi } from '../api/test-api.ts'
import type { Recorder } from './recorder.ts'
import { dataOf, mark, secretValue } from './secret-world.ts'

type WithData = KubeObject & { data?: Record<string, string> }

export interface Planted {
  /** Creates a Secret with these labels. */
  secret(name: string, own: Record<string, string>): Promise<void>
  /** Creates a ConfigMap as svc makes it for the log of an attempt. */
  log(name: string): Promise<void>
  /** Counts a Secret that svc has made. */
  add(name: string): Promise<void>
  /** Fails where one has changed, or where a value is in another object, in what was sent or in the log of the api. */
  expectUntouched(of: { recorder: Recorder; api: TestApi }): Promise<void>
  remove(): Promise<void>
}

const steps = { steps: 'of another owner' }

export function plantIn(client: ClusterClient): Planted {
  const secrets: WithData[] = []
  const logs: string[] = []
  const read = (name: string, type = coreTypes.secret) =>
    client.get<WithData>({ type, namespace: systemNamespace, name })
  const metadataOf = (name: string) => ({ name, namespace: systemNamespace })
  return {
    async secret(name, own) {
      const metadata = { ...metadataOf(name), labels: own }
      const object = { apiVersion: 'v1', kind: 'Secret', metadata, data: dataOf(name) }
      secrets.push(await client.create<WithData>(coreTypes.secret, object))
    },
    async log(name) {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf(name), data: steps }
      await client.create<WithData>(coreTypes.configMap, object)
      logs.push(name)
    },
    async add(name) {
      secrets.push((await read(name)) ?? expect.fail(`there is no Secret ${name}`))
    },
    async expectUntouched({ recorder, api }) {
      for (const { metadata } of secrets) {
        const { resourceVersion, uid } = (await read(metadata.name))?.metadata ?? {}
        expect([metadata.name, resourceVersion, uid]).to.deep.equal([
          metadata.name,
          metadata.resourceVersion,
          metadata.uid,
        ])
      }
      for (const name of logs) expect((await read(name, coreTypes.configMap))?.data, name).to.deep.equal(steps)
      const copies = secrets.flatMap(({ metadata }) => [
        secretValue(metadata.name),
        Buffer.from(secretValue(metadata.name)).toString('base64'),
      ])
      await expectNoneHas(client, copies, new Set(secrets.map(({ metadata }) => metadata.uid)))
      // The api checks the connection of the other project with that connection's own keys.
      const sent = copies.filter((copy) => !copy.includes('theirs-') && recorder.received().includes(copy))
      expect(sent).to.deep.equal([])
      expect(recorder.received()).not.to.include('webhook-signature')
      expect(JSON.stringify(api.logLines())).not.to.include(`value-${mark}`)
    },
    async remove() {
      const { secret: type, configMap } = coreTypes
      for (const { metadata } of secrets) await client.delete({ type, namespace: systemNamespace, name: metadata.name })
      for (const name of logs) await client.delete({ type: configMap, namespace: systemNamespace, name })
    },
  }
}

async function expectNoneHas(
  client: ClusterClient,
  copies: readonly string[],
  but: ReadonlySet<string | undefined>,
): Promise<void> {
  const { secret, configMap, deployment, event } = coreTypes
  for (const type of [secret, configMap, deployment, event, ...Object.values(resourceTypes)]) {
    const { items } = await client.list<KubeObject>(type, {})
    for (const object of items.filter(({ metadata }) => !but.has(metadata.uid))) {
      const text = JSON.stringify(object)
      const found = copies.filter((copy) => text.includes(copy))
      expect(found, `${object.kind ?? type.kind} ${object.metadata.name}`).to.deep.equal([])
    }
  }
}
