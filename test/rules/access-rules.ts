/**
 * Every kind of caller, callers that only resemble one, and what each may call
 * (docs/reference/access.md#kinds-of-callers).
 */
import type { Asked, TestApi } from '../api/test-api.ts'

export type Column = 'Public' | 'Any' | 'Observer' | 'Admin' | 'Admin session' | 'Any token' | 'Project token only'

const kinds = [
  'nobody',
  'viewer session',
  'admin session',
  'viewer token',
  'observer token',
  'admin token',
  'project token',
] as const
type Kind = (typeof kinds)[number]

/** Callers that only resemble one of these kinds, and the kind that each must be treated as. */
const lookalikes = {
  'revoked token': 'failing',
  'expired token': 'failing',
  'failing token with the cookie of an admin': 'failing',
  'Bearer without a token with the cookie of an admin': 'failing',
  'viewer token with the cookie of an admin': 'viewer token',
  'project token of another environment': 'project token',
  'admin session from elsewhere': 'admin session',
} as const
export type CallerName = Kind | keyof typeof lookalikes
// The keys of a constant object.
export const callers: readonly CallerName[] = [...kinds, ...(Object.keys(lookalikes) as (keyof typeof lookalikes)[])]

export const refused = {
  tooLow: [403, 'viewer role cannot access this'],
  outOfScope: [403, 'this token cannot access that endpoint'],
  needsToken: [400, 'this endpoint needs an API token'],
  unknown: [401, 'authentication required'],
  failing: [401, 'invalid or expired API token'],
  elsewhere: [400, 'request origin could not be verified'],
} as const
type Refusal = readonly [number, string]

/** What the row of an operation states for one surface. */
interface Row {
  readonly column: Column
  /** Project tokens may call it. */
  readonly open: boolean
  /** A session must come from the dashboard's own pages. */
  readonly checksOrigin: boolean
}

/** The refusal that a caller must get, or undefined when it must pass. */
export function refusalOf({ column, open, checksOrigin }: Row, caller: CallerName): Refusal | undefined {
  const kind = kindOf(caller)
  const refusal =
    column === 'Public' ? undefined : kind === 'failing' ? refused.failing : refusalOfKind(column, kind, open)
  return refusal ?? (caller === 'admin session from elsewhere' && checksOrigin ? refused.elsewhere : undefined)
}

const kindOf = (caller: CallerName): Kind | 'failing' =>
  // A name is a lookalike or a kind.
  caller in lookalikes ? lookalikes[caller as keyof typeof lookalikes] : (caller as Kind)

function refusalOfKind(column: Exclude<Column, 'Public'>, kind: Kind, open: boolean): Refusal | undefined {
  if (kind === 'nobody') return refused.unknown
  if (kind === 'project token') return open ? undefined : refused.outOfScope
  const isToken = kind.endsWith('token')
  const role = kind.split(' ')[0]
  const byColumn: Record<Exclude<Column, 'Public'>, Refusal | undefined> = {
    Any: undefined,
    Observer: role === 'viewer' ? refused.tooLow : undefined,
    Admin: role === 'admin' ? undefined : refused.tooLow,
    'Admin session': role !== 'admin' ? refused.tooLow : isToken ? refused.outOfScope : undefined,
    'Any token': isToken ? undefined : refused.needsToken,
    'Project token only': isToken ? refused.outOfScope : refused.needsToken,
  }
  return byColumn[column]
}

const dayMs = 86_400_000

/**
 * Signs in every kind of caller, and makes a service in the environment of the project token. @param pass advances the
 * api's clock
 */
export async function signInEveryone(
  api: TestApi,
  pass: (ms: number) => void,
): Promise<{ credentials: Record<CallerName, Asked>; app: string }> {
  pass(-2 * dayMs)
  const expired = await api.token({ role: 'admin', expiresInDays: 1 })
  pass(2 * dayMs)
  const cookie = await api.signIn('admin')
  const make = async (path: string, json: object) => (await api.ask('POST', `/api/v1${path}`, { cookie, json })).body
  const { project } = await make('/projects', {})
  await make(`/projects/${project}/environments`, { environment: 'staging' })
  const { name } = await make('/apps', { project, environment: 'production', image: 'nginx:1' })
  const revoked = await make('/tokens', { role: 'admin' })
  await api.ask('DELETE', `/api/v1/tokens/${revoked.item.id}`, { cookie })
  const placed = async (environment: string) => ({ token: await api.token({ scope: 'project', project, environment }) })
  const viewerToken = await api.token({ role: 'viewer' })
  return {
    app: name,
    credentials: {
      nobody: {},
      'viewer session': { cookie: await api.signIn('viewer') },
      'admin session': { cookie },
      'viewer token': { token: viewerToken },
      'observer token': { token: await api.token({ role: 'observer' }) },
      'admin token': { token: await api.token({ role: 'admin' }) },
      'project token': await placed('production'),
      'project token of another environment': await placed('staging'),
      'revoked token': { token: revoked.token },
      'expired token': { token: expired },
      'failing token with the cookie of an admin': { token: 'svw_a_b', cookie },
      'Bearer without a token with the cookie of an admin': { token: '', cookie },
      'viewer token with the cookie of an admin': { token: viewerToken, cookie },
      'admin session from elsewhere': { cookie, headers: { origin: 'https://evil.example' } },
    },
  }
}
