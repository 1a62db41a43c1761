/** Who is calling and what follows from it (docs/reference/access.md#kinds-of-callers); pure. */

export type UserRole = 'admin' | 'viewer'
export type WorkspaceRole = 'admin' | 'observer' | 'viewer'
export type CallerRole = WorkspaceRole | 'project'

export interface Caller {
  readonly kind: 'session' | 'token' | 'nobody'
  /** The user's name, or the name of the token; empty without credentials. */
  readonly username: string
  readonly role: CallerRole
  readonly tokenId?: string
  readonly scope?: 'workspace' | 'project'
  /** Set for project tokens: the only environment they may touch. */
  readonly project?: string
  readonly environment?: string
  readonly expiresAt?: string
}

/** The kinds of caller that the rules of access distinguish (docs/reference/access.md#kinds-of-callers). */
export type CallerKind =
  'nobody' | 'viewer session' | 'admin session' | 'viewer token' | 'observer token' | 'admin token' | 'project token'

/** Dashboard users are admin or viewer; observer and project exist as tokens only. */
export function callerKind({ kind, role }: Caller): CallerKind {
  if (kind === 'nobody') return kind
  if (kind === 'token') return `${role} token`
  return role === 'admin' ? 'admin session' : 'viewer session'
}

/** A request without credentials. Its role is the weakest; `kind` is what keeps it out. */
export const nobody: Caller = { kind: 'nobody', username: '', role: 'viewer' }

/** May change things: admins everywhere, project tokens inside their environment. */
export const canMutate = (caller: Caller): boolean =>
  caller.kind !== 'nobody' && (caller.role === 'admin' || caller.role === 'project')

/** May read logs, pods and variable names (docs/reference/access.md#kinds-of-callers). */
export const canReadSensitive = (caller: Caller): boolean => caller.kind !== 'nobody' && caller.role !== 'viewer'

/** What the audit line and the Temporal search attribute call this caller. */
export const actorOf = (caller: Caller): string =>
  caller.tokenId === undefined ? caller.username : `token:${caller.tokenId}`

/** Whether a record of this project and environment is visible to the caller; only project tokens are limited. */
export const sees = (caller: Caller, project: string, environment: string): boolean =>
  caller.role !== 'project' || (caller.project === project && caller.environment === environment)
