/** Reads `access` of an operation against the caller (Caller kinds, Project token access). */
import type { z } from 'zod'
import type { Caller } from '../../contract/caller.ts'
import type { Fields } from '../../contract/decode.ts'
import { hintOf } from '../../contract/decode.ts'
import type { Access, Operation } from '../../contract/operation.ts'
import { Problem, refusals, refuse } from '../../contract/problem.ts'

/**
 * Lets the caller pass or throws.
 * @param projectToken whether this route of the operation is one that project tokens may call
 */
export function authorize(operation: Operation, projectToken: boolean, caller: Caller): void {
  if (operation.access === 'public') return
  if (caller.kind === 'nobody') throw new Problem('unauthenticated', refusals.authenticationRequired)
  if (caller.role === 'project' && !projectToken) throw new Problem('forbidden', refusals.tokenCannotAccess)
  const refusal = caller.role === 'project' ? undefined : ladder[operation.access](caller)
  if (refusal !== undefined) throw refusal
}

const forbidden = (message: string): Problem => new Problem('forbidden', message)
const tooLow = (): Problem => forbidden(refusals.roleTooLow)

/** What each access asks of a signed-in caller who is not a project token. */
const ladder: Record<Access, (caller: Caller) => Problem | undefined> = {
  public: () => undefined,
  viewer: () => undefined,
  observer: ({ role }) => (role === 'viewer' ? tooLow() : undefined),
  admin: ({ role }) => (role === 'admin' ? undefined : tooLow()),
  adminSession: ({ role, kind }) => {
    if (role !== 'admin') return tooLow()
    return kind === 'token' ? forbidden(refusals.tokenCannotAccess) : undefined
  },
  anyToken: ({ kind }) => (kind === 'token' ? undefined : refuse(refusals.tokenNeeded)),
  projectTokenOnly: ({ kind }) => (kind === 'token' ? forbidden(refusals.tokenCannotAccess) : refuse(refusals.tokenNeeded)),
}

/**
 * What follows from the fields: a project token may not name another environment, and a field that only a signed-in
 * admin may set (`runOnTags`) is closed to tokens.
 */
export function authorizeFields(operation: Operation, caller: Caller, fields: Fields): void {
  if (caller.role === 'project') {
    for (const name of ['project', 'environment'] as const) {
      const others = (fields.get(name) ?? []).filter((value) => value !== '' && value !== caller[name])
      if (others.length > 0) throw forbidden('this token is limited to another project or environment')
    }
  }
  if (caller.kind !== 'token') return
  for (const [name, schema] of Object.entries<z.core.$ZodType>(operation.params.shape)) {
    if (hintOf(schema)?.adminSession === true && fields.has(name)) {
      throw forbidden(`${name} can be set by a signed-in admin only, not with a token`)
    }
  }
}
