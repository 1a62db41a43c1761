/**
 * Messages of a record for callers who may not learn names of Secrets, their keys and variables
 * (docs/reference/conventions.md#redaction).
 */
import type { Condition } from './resource.ts'

/**
 * Where the rest of a message comes from the kubelet or from a reference, and may have any name: the message is cut
 * there.
 */
const naming =
  /(the container cannot be started \(\w+\)|the secret variables cannot be read|the shared variable)(: | ).*/s
/** Variables that a build lacks, up to the rest of the sentence. */
const buildVariables = /(the build asks for) .+?(?=, and the service |$)/s
/** The name of a Secret, with the key in it; ordinary words after "Secret" are no name. */
const secretName =
  /(?:the key \S+ of )?\b((?:[Tt]he |a )?Secret) (?!(?:that|which|of|with|is|has|was|as|for|in|belongs|lacks)\b)[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?/g

export const withoutNames = (message: string): string =>
  message.replace(naming, '$1').replace(buildVariables, '$1 variables').replace(secretName, '$1')

/** The status with names removed from the messages of its conditions. */
export function conditionsWithoutNames<T extends { conditions?: Condition[] | undefined }>(status: T): T {
  const { conditions } = status
  return conditions === undefined
    ? status
    : { ...status, conditions: conditions.map((it) => ({ ...it, message: withoutNames(it.message) })) }
}
