/** An rclone for the pods of backups that is struck at one of its calls: a test reaches every stage of a script. */
import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../cluster/eventually.ts'
import { rcloneProgram } from './backup-pod.ts'
import type { BackedEngine } from './backed-engines.ts'
import { atEnd } from './stack.ts'

export interface Stage {
  when: 'before' | 'after'
  /** The beginning of the arguments of the call. */
  call: string
}

type Pod = BackedEngine['pod']

export interface StruckRclone {
  /** For a pod whose process group is killed there. */
  dying(stage: Stage, pod: Pod): Pod
  /** For a pod that waits there until `meanwhile` has come to its end. */
  waiting(stage: Stage, pod: Pod, meanwhile: () => Promise<void>): Pod
}

const stageWithinMs = 60_000

/** The first call that matches is struck, once. */
const script = (real: string): string => `#!/bin/sh
strike() {
  : >"$HIT"
  if [ "$GO" = '' ]; then kill -9 0; fi
  until [ -e "$GO" ]; do sleep 0.05; done
}
case "$WHEN $*" in
  "before $CALL"*) if [ ! -e "$HIT" ]; then strike; fi ;;
  "after $CALL"*)
    ${real} "$@"
    code=$?
    if [ ! -e "$HIT" ]; then strike; fi
    exit $code
    ;;
esac
exec ${real} "$@"
`

export async function struckRclone(): Promise<StruckRclone> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-struck-rclone-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'rclone'), script((await rcloneProgram()).path('rclone')), { mode: 0o755 })
  let turn = 0
  const at = ({ when, call }: Stage, pod: Pod, go: string) => ({
    ...pod,
    path: [folder, ...(pod.path ?? [])],
    variables: { ...pod.variables, WHEN: when, CALL: call, GO: go, HIT: join(folder, `hit-${(turn += 1)}`) },
  })
  return {
    dying: (stage, pod) => at(stage, pod, ''),
    waiting(stage, pod, meanwhile) {
      const run = at(stage, pod, join(folder, `go-${turn + 1}`))
      const { HIT, GO } = run.variables
      void (async () => {
        await eventually('the stage', () => existsSync(HIT), stageWithinMs)
        await meanwhile().finally(() => writeFileSync(GO, ''))
      })()
      return run
    },
  }
}
