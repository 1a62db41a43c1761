/**
 * How much memory the processes of svc take for work that is over: the same words as in deploy/Dockerfile.
 *
 * What 1,000 services are in memory is a few MiB; the rest is heap that V8 made for garbage during a burst and kept.
 * - `--max-semi-space-size=4` (32 on a machine with much memory, and V8 takes two of them): new objects of a request or
 *   an event die soon, in a small heap as well. With the larger one api and worker held 300 MiB more after a burst of
 *   300 new services; the reads per second are the same.
 * - `--max-old-space-size=1024` (else half of the machine's memory, up to 4 GiB): how far V8 lets garbage pile up
 *   follows from the limit. The caches of 1,000 services are some 20 MiB of it; a process that still needs more has a
 *   leak, and is started again, which loses nothing.
 * - `MALLOC_ARENA_MAX`: glibc keeps freed memory for each of up to sixteen groups of threads, of which Temporal's core
 *   has many.
 */
export const nodeMemory: readonly string[] = ['--max-semi-space-size=4', '--max-old-space-size=1024']

export const mallocMemory = { MALLOC_ARENA_MAX: '2' } as const
