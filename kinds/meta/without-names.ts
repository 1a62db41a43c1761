/**
 * What a record says, for callers who may not know names of Secrets, of their keys and of variables
 * (docs/reference/conventions.md#redaction).
 */
import type { Condition } from './resource.ts'

/** Where a message goes on with words of the kubelet or of a reference, which name anything: it ends there. */
const naming =
  /(the container cannot be started \(\w+\)|the secret variables cannot be read|the shared variable)(: | ).*/s
/** A Secret by its name, with the key in it; what stands after "Secret" in plain text is none. */
const secretName =
  /(?:the key \S+ of )?\b((?:[Tt]he |a )?Secret) (?!(?:that|which|of|with|is|has|was|as|for|in|belongs|lacks)\b)[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?/g

export const withoutNames = (message: string): string => message.replace(naming, '$1').replace(secretName, '$1')

/** The status with every message of its conditions so. */
export function conditionsWithoutNames<T extends { conditions?: Condition[] | undefined }>(status: T): T {
  const { conditions } = status
  return conditions === undefined
    ? status
    : { ...status, conditions: conditions.map((it) => ({ ...it, message: withoutNames(it.message) })) }
}
