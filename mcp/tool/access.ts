/** Which operations a caller may perform, by the contract alone; the service decides again at each call. */
import { operationOf, type OperationId } from '../../contract/operations.ts'
import type { Me, Tool } from './tool.ts'

const ladder = ['viewer', 'observer', 'admin'] as const

/** Whether the caller may use the tool: every operation of it, and changes only where the caller may change things. */
export function mayUse(me: Me, { operations, effect }: Tool): boolean {
  return (effect === 'read' || me.canMutate) && operations.every((id) => mayPerform(me, id))
}

function mayPerform({ role }: Me, id: OperationId): boolean {
  const { access, v1, dashboard } = operationOf(id)
  if (role === 'project') return (v1 ?? dashboard)?.projectToken === true
  const needed = ladder.findIndex((rung) => rung === access)
  return needed >= 0 && ladder.indexOf(role) >= needed
}
