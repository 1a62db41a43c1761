/**
 * A process that a kill test starts ends with its parent where the system does not see to that (mortal-process.ts),
 * also with one that went while this one loaded its modules.
 */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit(0))
  if (!process.connected) process.exit(0)
}
