/** The search attributes of every run: what an operator filters by in the Temporal UI. */

import { defineSearchAttributeKey } from '@temporalio/common'

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
