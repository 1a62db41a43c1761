/** Statuses of a service as the api returns them, for tests of waiting. */
import type { DeployStatus } from '../../client/wait/deploy.ts'

type Attempt = NonNullable<DeployStatus['lastAttempt']>
type Build = NonNullable<DeployStatus['build']>

const ready: DeployStatus = {
  name: 'web',
  project: 'proj-1a2b3c4d',
  environment: 'production',
  state: 'ready',
  message: '',
  url: 'https://web.example.com',
  pendingChanges: 0,
  ready: true,
  replicas: { desired: 2, ready: 2, available: 2 },
}

export const attempt = (id: string, phase: Attempt['phase'], more: Partial<Attempt> = {}): Attempt => ({
  id,
  phase,
  startedAt: '2026-11-21T13:00:00Z',
  ...more,
})
export const build = (name: string, phase: string, more: Partial<Build> = {}): Build => ({ name, phase, ...more })

/** A ready service with these changes. */
export const statusOf = (changes: Partial<DeployStatus> = {}): DeployStatus => ({ ...ready, ...changes })

export const pending = (id: string, message = 'waiting for copies: 1 of 2 available'): DeployStatus =>
  statusOf({
    state: 'pending',
    ready: false,
    message,
    replicas: { desired: 2, ready: 1, available: 1 },
    lastAttempt: attempt(id, 'Running'),
  })
