import { Problem } from '../../contract/problem.ts'

/** The sentence with which the work is refused; `taken` where it is not. */
export const refusalOf = (work: () => unknown): string => {
  try {
    work()
    return 'taken'
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}
