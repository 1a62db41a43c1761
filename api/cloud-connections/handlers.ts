/** The handlers of cloud connections. */
import type { OperationsOf, Params } from '../../contract/operations.ts'
import { refuse } from '../../contract/problem.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { createConnection } from '../../records/cloud-connections/create-connection.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import { askedBy, wakeRecord } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'

export const cloudConnectionHandlers = (needs: Needs) =>
  ({
    'cloud-connections.list': list(needs),
    'cloud-connections.create': create(needs),
  }) satisfies HandlerTable<OperationsOf<'cloud-connections'>>

/** `GET /api/cloud-connections`: from the cache. */
const list =
  ({ caches }: Needs): Handler<'cloud-connections.list'> =>
  async () => ({
    items: caches.cloudConnections
      .list()
      .map(({ metadata, spec, status }) => {
        const said = readyOf(status?.conditions)
        return {
          name: metadata.name,
          project: spec.project,
          provider: spec.provider,
          account: status?.account ?? '',
          ready: said?.status === 'True',
          reason: said?.reason ?? 'NotChecked',
          message: said?.message ?? 'nothing has checked it yet',
          createdAt: metadata.creationTimestamp ?? '',
        }
      })
      .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.name.localeCompare(b.name)),
  })

/** `POST /api/cloud-connections/create`: saves the keys of an account for one project. */
const create =
  (needs: Needs): Handler<'cloud-connections.create'> =>
  async ({ params, ...call }) => {
    const { name, provider, project, region } = params
    const keys = provider === 'AWS' ? keysOfAws(params) : keysOfPlanetScale(params)
    await createConnection(needs.writes, {
      name,
      provider,
      project,
      region,
      organization: params.organization ?? '',
      actor: askedBy(call).actor,
      keys,
    })
    wakeRecord(needs, 'cloudConnection', name, 'connected', call)
    return { ok: true }
  }

type Fields = Params<'cloud-connections.create'>

function keysOfAws({ accessKeyId, secretAccessKey, region, token, organization }: Fields): Record<string, string> {
  if (token !== undefined || organization !== undefined)
    throw refuse('token and organization apply to the provider PlanetScale only')
  if (accessKeyId === undefined) throw refuse('accessKeyId is required')
  if (secretAccessKey === undefined) throw refuse('secretAccessKey is required')
  return { accessKeyId, secretAccessKey, ...(region === '' ? {} : { region }) }
}

function keysOfPlanetScale({
  accessKeyId,
  secretAccessKey,
  region,
  token,
  organization,
}: Fields): Record<string, string> {
  if (accessKeyId !== undefined || secretAccessKey !== undefined || region !== '')
    throw refuse('accessKeyId, secretAccessKey, and region apply to the provider AWS only')
  if (token === undefined) throw refuse('token is required')
  if (organization === undefined) throw refuse('organization is required')
  return { token, organization }
}
