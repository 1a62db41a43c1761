/** Panels below each other whose reads are answered in any order: none is drawn above one that is there already. */
import type { ReactNode } from 'react'

interface Props {
  /** Of what is above. */
  readonly reads: readonly { readonly isLoading: boolean }[]
  readonly children: ReactNode
}

/** Shows the children once what is above has its height, so that nothing moves under a pointer. */
export function Below({ reads, children }: Props) {
  return reads.some(({ isLoading }) => isLoading) ? null : children
}
