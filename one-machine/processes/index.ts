/** Child processes, their ports and their orderly stop: the part that loads quickly, for runners that need no stack. */
export { type Child, commandLine, endChild, launch, signalGroup, waitUntilReady } from './child.ts'
export { identify } from './identity.ts'
export { mallocMemory, nodeMemory } from './node-memory.ts'
export { freePort } from './ports.ts'
export { whenAsked } from './stops.ts'
export { type ChildSpec, createSupervisor } from './supervisor.ts'
