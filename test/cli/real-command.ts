/** How a row of real-commands.ts says what one command is asked for. */

/** Words after a command. `{n}`, `{N}` in capitals, is another for each run, the others in braces are names. */
export interface RealCommand {
  /** Arguments that work. */
  readonly works: string
  /** An object store that a cluster has one of: without it the command works. */
  readonly onlyOne?: string
  /** Arguments that name what there is not. Those without are in `namesNothing` of real-lacks.ts. */
  readonly missing?: string
  /** Arguments that a rule of the service refuses, and words of its sentence. Those without are in `refusesNothing`. */
  readonly refused?: string
  readonly says?: RegExp
  /** What callers ask who may not, where that is something else. */
  readonly others?: string
  /** Who may: a viewer too, observers and admins, admins alone unless it says so, or a project token. */
  readonly by?: 'viewer' | 'observer' | 'password' | 'project token'
  readonly input?: string
  /** Standard input that a rule refuses. */
  readonly refusedInput?: string
  /** It prints something before or beside a refusal. */
  readonly prints?: true
}

export const gone = 'no-such-thing'
export const noCapacity = /the cluster has no capacity: no node has 9000000m CPU and \d+Mi memory free for one copy/
export const [viewer, observer] = [{ by: 'viewer' }, { by: 'observer' }] as const
