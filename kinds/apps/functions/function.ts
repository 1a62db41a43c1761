/** How the code of a function runs: mounted read-only into the image of its runner, as the user `nobody`. */
import type { V1Container, V1Volume } from '@kubernetes/client-node'
import type { runtimes } from '../../../contract/fields/words.ts'
import type { AppSpec } from '../kind.ts'

export type Runtime = (typeof runtimes)[number]
/** The image that runs the functions of each runtime; functions of a runtime without one are refused. */
export type RunnerImages = Readonly<Partial<Record<Runtime, string>>>

type FunctionSource = NonNullable<AppSpec['source']['function']>

/**
 * The path that the runner itself answers, once the code of the function is loaded
 * (docs/reference/functions.md#the-runner).
 */
export const runnerHealthPath = '/.svc/health'

const codeFolder = '/function'
/** A user ID without an entry in the image: the runner needs none. */
const nobody = 65532

/** Code for bun and node is read as TypeScript: plain JavaScript is TypeScript without types. */
const codeFiles: Readonly<Record<Runtime, string>> = {
  bun: 'index.mts',
  node: 'index.mts',
  python: 'main.py',
}

/**
 * The ConfigMap with the code of a release. The ConfigMap of its variables will not do: each of its keys becomes a
 * variable.
 */
export const codeName = (release: string): string => `${release}-code`

/** The release that a ConfigMap or Secret belongs to. */
export const releaseOfPart = (name: string): string => name.replace(/-code$/, '')

export function codeOf({ runtime, code }: FunctionSource): Record<string, string> {
  return { [codeFiles[runtime]]: code }
}

/** The fields of a function's container that stand for the command and the probe of an image. */
export function runnerContainer({ runtime, mode }: FunctionSource): Partial<V1Container> {
  return {
    args: [`${codeFolder}/${codeFiles[runtime]}`, mode],
    volumeMounts: [
      { name: 'code', mountPath: codeFolder, readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
    ],
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      runAsUser: nobody,
      runAsGroup: nobody,
    },
    readinessProbe: {
      httpGet: { path: runnerHealthPath, port: 'http' },
      periodSeconds: 2,
      timeoutSeconds: 2,
      failureThreshold: 3,
    },
  }
}

export function runnerVolumes(release: string): V1Volume[] {
  return [
    { name: 'code', configMap: { name: codeName(release), defaultMode: 0o444 } },
    { name: 'tmp', emptyDir: {} },
  ]
}
