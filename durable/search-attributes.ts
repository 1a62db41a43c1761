/** The search attributes of runs, by which operators filter in the Temporal UI. */
import { defineSearchAttributeKey } from '@temporalio/common'
import type { RunAttributes } from './messages.ts'

const keyword = (name: string) => defineSearchAttributeKey(name, 'KEYWORD')

export const searchAttributes = {
  kind: keyword('SvcKind'),
  project: keyword('SvcProject'),
  environment: keyword('SvcEnvironment'),
  resource: keyword('SvcResource'),
  operation: keyword('SvcOperation'),
  attempt: keyword('SvcAttempt'),
  phase: keyword('SvcPhase'),
  actor: keyword('SvcActor'),
} as const

/** Temporal's own search attribute: the planned time of a run that a Schedule started. */
export const plannedStart = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME')

/** The attributes as pairs; null for one without a value. */
export function tagsOf({ operation, attempt, project, environment, actor }: RunAttributes) {
  const orNone = (text: string) => (text === '' ? null : text)
  return [
    { key: searchAttributes.operation, value: orNone(operation) },
    { key: searchAttributes.attempt, value: orNone(attempt) },
    { key: searchAttributes.project, value: orNone(project) },
    { key: searchAttributes.environment, value: orNone(environment) },
    { key: searchAttributes.actor, value: orNone(actor) },
  ]
}

/** Values of search attributes by their names in code; one that is left out is not set. */
export type SearchValues = Readonly<Partial<Record<keyof typeof searchAttributes, string>>>

/** The values as a client sets them at the start of a run. */
export const pairsOf = (values: SearchValues) =>
  (Object.keys(values) as (keyof typeof searchAttributes)[]).flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [{ key: searchAttributes[name], value }]
  })
