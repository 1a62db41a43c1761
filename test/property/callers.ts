/** One of each kind of caller (docs/reference/access.md#kinds-of-callers), and callers that only resemble one. */
import type { Asked, TestApi } from '../api/test-api.ts'

export const callerNames = [
  'admin token',
  'project token',
  'admin session',
  'observer token',
  'viewer token',
  'viewer session',
  'admin session without origin',
  'admin session from elsewhere',
  'forged token',
  'nobody',
] as const
export type CallerName = (typeof callerNames)[number]
export type Callers = Record<CallerName, Asked>

/** Signs all callers in; the project token is for the environment `production` of the project. */
export async function signInAll(api: TestApi, project: string): Promise<Callers> {
  const cookie = await api.signIn('admin')
  return {
    'admin token': { token: await api.token({ role: 'admin' }) },
    'project token': { token: await api.token({ scope: 'project', project, environment: 'production' }) },
    'observer token': { token: await api.token({ role: 'observer' }) },
    'viewer token': { token: await api.token({ role: 'viewer' }) },
    'admin session': { cookie },
    'admin session without origin': { cookie, headers: { referer: '' } },
    'admin session from elsewhere': { cookie, headers: { origin: 'https://evil.example' } },
    'viewer session': { cookie: await api.signIn('viewer') },
    'forged token': { token: `svw_${'0'.repeat(12)}_${'0'.repeat(43)}`, cookie },
    nobody: {},
  }
}

/** Replaces the sessions after a sign-out of this caller, which ended every session of the same user. */
export async function signInAgain(api: TestApi, callers: Callers, caller: CallerName): Promise<Callers> {
  if (caller === 'viewer session') return { ...callers, [caller]: { cookie: await api.signIn('viewer') } }
  const { cookie } = callers[caller]
  if (cookie === undefined) return callers
  const fresh = await api.signIn('admin')
  return Object.fromEntries(
    Object.entries(callers).map(([name, asked]) => [
      name,
      asked.cookie === cookie ? { ...asked, cookie: fresh } : asked,
    ]),
  ) as Callers // the names stay the same
}
