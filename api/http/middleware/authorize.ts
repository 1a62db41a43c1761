/**
 * The table of access: what each access level of an operation means for each kind of caller
 * (docs/reference/access.md#kinds-of-callers). Which records a caller may see is decided elsewhere: by `sees`
 * (contract/caller.ts), which api/apps/service-of-call.ts and similar files call before a record is read or written,
 * and by api/views/summary-list.ts for lists.
 */
import type { z } from 'zod'
import { callerKind, type Caller, type CallerKind } from '../../../contract/caller.ts'
import { fieldOptionsOf, type Fields } from '../../../contract/json/decode.ts'
import { type Access, isWrite, type Operation } from '../../../contract/operation.ts'
import { Problem, refusals, refuse } from '../../../contract/problem.ts'

type Verdict = 'pass' | 'unknown' | 'tooLow' | 'forbidden' | 'noToken' | 'byRoute'

/**
 * Access levels by kind of caller: everything that is decided before the fields are read. `byRoute`: as `projectToken`
 * of the route decides.
 */
const verdicts: Readonly<Record<Access, Readonly<Record<CallerKind, Verdict>>>> = {
  public: row('pass', 'pass', 'pass', 'pass', 'pass', 'pass', 'pass'),
  viewer: row('unknown', 'pass', 'pass', 'pass', 'pass', 'pass', 'byRoute'),
  observer: row('unknown', 'tooLow', 'pass', 'tooLow', 'pass', 'pass', 'byRoute'),
  admin: row('unknown', 'tooLow', 'pass', 'tooLow', 'tooLow', 'pass', 'byRoute'),
  adminSession: row('unknown', 'tooLow', 'pass', 'tooLow', 'tooLow', 'forbidden', 'forbidden'),
  anyToken: row('unknown', 'noToken', 'noToken', 'pass', 'pass', 'pass', 'byRoute'),
  projectTokenOnly: row('unknown', 'noToken', 'noToken', 'forbidden', 'forbidden', 'forbidden', 'byRoute'),
}

function row(...each: [Verdict, Verdict, Verdict, Verdict, Verdict, Verdict, Verdict]): Record<CallerKind, Verdict> {
  const [none, viewerSession, adminSession, viewerToken, observerToken, adminToken, projectToken] = each
  return {
    nobody: none,
    'viewer session': viewerSession,
    'admin session': adminSession,
    'viewer token': viewerToken,
    'observer token': observerToken,
    'admin token': adminToken,
    'project token': projectToken,
  }
}

const refusalOf: Readonly<Record<Exclude<Verdict, 'pass' | 'byRoute'>, () => Problem>> = {
  unknown: () => new Problem('unauthenticated', refusals.authenticationRequired),
  tooLow: () => new Problem('forbidden', refusals.roleTooLow),
  forbidden: () => new Problem('forbidden', refusals.tokenCannotAccess),
  noToken: () => refuse(refusals.tokenNeeded),
}

/**
 * Lets the caller pass or throws.
 * @param projectToken whether this route of the operation is one that project tokens may call
 */
export function authorize({ access }: Operation, projectToken: boolean, caller: Caller): void {
  const verdict = verdicts[access][callerKind(caller)]
  const decided = verdict === 'byRoute' ? (projectToken ? 'pass' : 'forbidden') : verdict
  if (decided !== 'pass') throw refusalOf[decided]()
}

/**
 * The rules that depend on fields: a project token may not name another environment; a field that only a signed-in
 * admin may set (`runOnTags`) is closed to all tokens, one that any admin may set (`runAsRoot`) to project tokens.
 */
export function authorizeFields(operation: Operation, caller: Caller, fields: Fields): void {
  if (caller.role === 'project') {
    for (const name of ['project', 'environment'] as const) {
      // A read ignores fields that it does not have (docs/reference/logs-and-metrics.md#logs).
      if (!isWrite(operation) && !(name in operation.params.shape)) continue
      const others = (fields.get(name) ?? []).filter((value) => value !== '' && value !== caller[name])
      if (others.length > 0) throw new Problem('forbidden', 'this token is limited to another project or environment')
    }
  }
  if (caller.kind !== 'token') return
  const { adminSession, admin } = closedFields(operation)
  for (const name of adminSession) {
    if (fields.has(name))
      throw new Problem('forbidden', `${name} can be set by a signed-in admin only, not with a token`)
  }
  if (caller.role !== 'project') return
  for (const name of admin) {
    if (fields.has(name))
      throw new Problem('forbidden', `${name} can be set by an admin only, not with a project token`)
  }
}

type Closed = Readonly<Record<'adminSession' | 'admin', readonly string[]>>
const closed = new WeakMap<Operation, Closed>()

/** The fields of an operation that some of its callers may not set. */
function closedFields(operation: Operation): Closed {
  const known = closed.get(operation)
  if (known !== undefined) return known
  const shape = Object.entries<z.core.$ZodType>(operation.params.shape)
  const fieldsWith = (option: keyof Closed) =>
    shape.filter(([, schema]) => fieldOptionsOf(schema)?.[option] === true).map(([name]) => name)
  const fields: Closed = { adminSession: fieldsWith('adminSession'), admin: fieldsWith('admin') }
  closed.set(operation, fields)
  return fields
}
