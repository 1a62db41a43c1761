/** The search attributes of every run: what an operator filters by in the Temporal UI. */

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
