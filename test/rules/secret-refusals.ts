/** What the record of each case says instead of using the Secret of another owner. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Condition, Resource } from '../../kinds/meta/resource.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import type { Attempted, Try } from './secret-cases.ts'
import { asWriter, judged, mark } from './secret-world.ts'

type Said = KubeObject & Pick<Resource<object, { conditions?: Condition[] }>, 'status'>

const waitMs = 60_000

/** By the kind of the record and what its name begins with. */
const refusals: readonly (readonly [kind: string, start: string, says: RegExp])[] = [
  ['SvcApp', 'vars', /^Refused: the secret variables cannot be read/],
  ['SvcApp', 'shared', /^Refused: the shared variable TAKEN names a Secret that is not this project's/],
  ['SvcApp', 'own', /^(Refused: the secret variables cannot be read|Ready)/],
  ['SvcApp', 'att', /the frozen secrets of release \S+ are gone/],
  ['SvcApp', 'pushing', /the login of the registry, Secret \S+ .*is not there for this project/],
  ['SvcCloudConnection', 'conn', /^CredentialsIncomplete: /],
  ['SvcCloudConnection', 'planet', /^CredentialsIncomplete: /],
  ['SvcDatabase', 'ext', /waiting for a Secret/],
  ['SvcDatabase', 'else', /is not scoped to this project|has the wrong provider/],
  ['SvcObjectStore', 'store', /is not scoped to this project/],
]

/** Waits until each record says so. */
export async function untilAllRefused(
  client: ClusterClient,
  tries: readonly Try[],
  attempted: readonly Attempted[],
): Promise<void> {
  const names = new Set(attempted.map(({ kind, metadata }) => `${kind}/${metadata.name}`))
  for (const [kind, start, says] of refusals) {
    const written = tries.map(({ id }) => `${start}-${id}`).filter((name) => names.has(`${kind}/${name}`))
    expect(written, `${kind} ${start}`).not.to.deep.equal([])
    for (const name of written) await untilSaid(client, kind, name, says)
  }
  const hasNoPurpose = /the login of the registry, Secret \S+ .*lacks the label/
  await untilSaid(client, 'SvcApp', `pushing-anywhere-${mark}`, hasNoPurpose)
  for (const { foreign } of tries.filter(({ what }) => judged.platform.some((each) => each === what))) {
    const patch = JSON.stringify({ spec: { cloudflareConnectionRef: { name: foreign } } })
    await asWriter('patch', 'svcplatformconfig', 'platform', '-n', systemNamespace, '--type=merge', '-p', patch)
    const isRefused = async () => (await platformSays(client)).includes(`Secret ${foreign} lacks the label`)
    await eventually(`the platform refuses ${foreign}`, isRefused, waitMs)
  }
}

/** Waits until the condition Ready of the record is this `reason: message`; the error has what it was. */
export async function untilSaid(client: ClusterClient, kind: string, name: string, what: RegExp): Promise<void> {
  const type = Object.values(resourceTypes).find((each) => each.kind === kind) ?? expect.fail(kind)
  const received = new Set<string>()
  const isSaid = async () => {
    const found = await client.get<Said>({ type, namespace: systemNamespace, name })
    const { reason = '', message = '' } = readyOf(found?.status?.conditions) ?? {}
    received.add(`${reason}: ${message}`)
    return what.test(`${reason}: ${message}`)
  }
  await eventually(`${kind} ${name} says ${String(what)}`, isSaid, waitMs).catch((error: unknown) =>
    expect.fail(`${String(error)}; it said ${[...received].join(' | ')}`),
  )
}

async function platformSays(client: ClusterClient): Promise<string> {
  const ref = { type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' }
  return JSON.stringify((await client.get<Said>(ref))?.status?.conditions ?? [])
}
