/** The search attributes of every run: what an operator filters by in the Temporal UI. All are of type Keyword. */

export const searchAttributeNames = [
  'SvcKind',
  'SvcProject',
  'SvcEnvironment',
  'SvcResource',
  'SvcOperation',
  'SvcAttempt',
  'SvcPhase',
  'SvcActor',
] as const;

export type SearchAttributeName = (typeof searchAttributeNames)[number];
