/** A function: calling it by hand, and its schedules. */
import { useMe } from '../../data/session.ts'
import { Empty } from '../../ui/notice.tsx'
import { Invoke } from './invoke.tsx'
import type { ServiceProps } from '../service-props.ts'
import { Schedules } from './schedules.tsx'

export function FunctionTab(props: ServiceProps) {
  const { canMutate } = useMe()
  if (!canMutate)
    return <Empty title="Not for your role">Only administrators call functions and see their schedules.</Empty>
  return (
    <div className="flex flex-col gap-5">
      <Invoke {...props} />
      <Schedules {...props} />
    </div>
  )
}
