/** The Job of one build and the Secret beside it: pure makers of manifests. */
import { defined } from '../../contract/defined.ts'
import type { V1Container, V1Job, V1Secret, V1Volume } from '@kubernetes/client-node'
import { type Buildpacks, canKeepCache, creatorScript, platformApi } from './buildpacks.ts'
import { type BaseImages, generatedDockerfiles } from './dockerfiles.ts'
import type { Build } from './kind.ts'
import { buildLabels, buildsNamespace, jobName } from './names.ts'
import type { BuildVariables } from './variables.ts'
import { type BuildCredentials, builderSecrets, cloneSecrets } from './secrets.ts'
import { buildScript, cloneScript } from './scripts.ts'

/** The settings of an install for all builds. */
export interface BuilderSettings {
  /** An image with git, a shell and a rootless BuildKit; '' where the install has none. */
  image: string
  cpu: string
  memory: string
  /** Disk space for the clone, the layers and the cache during a build. */
  disk: string
  /** How many builds run at once in the whole install. */
  atOnce: number
  deadlineSeconds: number
  /** Registries that are reached by plain HTTP, as `host:port`. */
  plainRegistries: readonly string[]
  /** Mirror of docker.io, as `host:port`; undefined for none. */
  mirror: string | undefined
  /** Where images are pushed when neither the service nor the platform has a registry. */
  destination: string | undefined
  /** PEM certificates of authorities that the clone trusts besides the usual ones; '' for none. */
  gitAuthorities: string
  bases: BaseImages
  /** Builds repositories without a Dockerfile; undefined where svc generates Dockerfiles for them. */
  buildpacks: Buildpacks | undefined
}

export interface BuildInputs {
  /** The address that git clones. */
  address: string
  destination: string
  port: number
  /** Plain variables of the service that its builds get. */
  args: BuildVariables['args']
  /** The commit whose image exists; '' where there is none, or where it must not be reused. */
  knownRevision: string
}

export const gitKeys = ['username', 'token', 'ssh-privatekey', 'known_hosts'] as const
const user = 1000
const asBuilder = { runAsUser: user, runAsGroup: user } as const
const confined = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}
/** Without it the limit would count as the request, and only a node with that much free disk would take the build. */
const noDisk = { 'ephemeral-storage': '0' } as const

/** The Secret with all secrets, and with the files that are mounted beside them. */
export function buildSecret(
  build: Build,
  settings: BuilderSettings,
  { git, registry, secrets }: BuildCredentials,
  { port, args }: Pick<BuildInputs, 'port' | 'args'>,
) {
  const names = { args: Object.keys(args), secrets: Object.keys(secrets) }
  const files = prefixed('generated', generatedDockerfiles(settings.bases, port, names))
  const variables = [...prefixed('build-args', args), ...prefixed('build-secrets', secrets)]
  const logins = gitKeys.flatMap((key) => (git[key] === undefined ? [] : [[`git-${key}`, git[key]]]))
  const trusted = settings.gitAuthorities === '' ? [] : [['trust-authorities.pem', settings.gitAuthorities]]
  const hiddenOfClone = logins.length === 0 ? [] : [['git-hidden', linesOf(cloneSecrets({ git }))]]
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: jobName(build), namespace: buildsNamespace, labels: buildLabels(build) },
    type: 'Opaque',
    immutable: true,
    stringData: {
      ...(Object.fromEntries([...files, ...logins, ...hiddenOfClone, ...trusted, ...variables]) as Record<
        string,
        string
      >),
      'registry-config.json': registry === '' ? '{}' : registry,
      'builder-buildkitd.toml': daemonConfig(settings),
      'builder-hidden': linesOf(builderSecrets({ registry, secrets })),
    },
  } satisfies V1Secret
}

const prefixed = (mount: string, files: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(files).map(([name, text]) => [`${mount}-${name}`, text])

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

function daemonConfig({ plainRegistries, mirror }: BuilderSettings): string {
  const mirrored = mirror === undefined ? '' : `[registry."docker.io"]\n  mirrors = [${JSON.stringify(mirror)}]\n`
  const plain = plainRegistries.map((host) => `[registry.${JSON.stringify(host)}]\n  http = true\n`)
  return [mirrored, ...plain].join('')
}

/** The Job of a build; the result is read from its pod. */
export function buildJob(
  build: Build,
  settings: BuilderSettings,
  { git, secrets }: Pick<BuildCredentials, 'git' | 'secrets'>,
  { address, destination, knownRevision, args }: BuildInputs,
) {
  const { spec } = build
  const name = jobName(build)
  const labels = buildLabels(build)
  const variables = [
    secretVolume(name, 'build-args', Object.keys(args)),
    secretVolume(name, 'build-secrets', Object.keys(secrets)),
  ].filter((volume) => volume !== undefined)
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: buildsNamespace, labels },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: settings.deadlineSeconds,
      // The run of the build deletes it long before; this is for a run that never happens.
      ttlSecondsAfterFinished: 86_400,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 10,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, fsGroup: user },
          containers: [
            // The first, since a node starts the containers of a pod in their order, and the others wait for this one.
            cloneContainer(build, settings, git, { address, knownRevision }),
            container('build', settings.image, buildScript, {
              env: { SERVICE: spec.app, DESTINATION: destination, CACHE: spec.cache ? 'on' : 'off' },
              mounts: ['registry', 'builder', ...variables.map(({ name: mount }) => mount)],
              resources: { ...buildResources(settings), requests: besideClone },
              // BuildKit makes a user namespace, which the default profiles of a node forbid.
              security: {
                ...asBuilder,
                seccompProfile: { type: 'Unconfined' },
                appArmorProfile: { type: 'Unconfined' },
              },
            }),
            ...buildpacksContainer(build, settings, destination, [
              'registry',
              ...variables.map(({ name: mount }) => mount),
            ]),
          ],
          volumes: [
            { name: 'work', emptyDir: { sizeLimit: settings.disk } },
            { name: 'home', emptyDir: { sizeLimit: homeLimit } },
            secretVolume(name, 'git', gitFiles(git)),
            // A Secret made before the authority was configured has no such key, and the pod must start all the same.
            secretVolume(name, 'trust', settings.gitAuthorities === '' ? [] : ['authorities.pem'], { optional: true }),
            secretVolume(
              name,
              'generated',
              Object.keys(settings.bases).filter((base) => base !== 'run'),
            ),
            secretVolume(name, 'registry', ['config.json']),
            secretVolume(name, 'builder', ['buildkitd.toml', 'hidden']),
            ...variables,
          ].filter((volume): volume is V1Volume => volume !== undefined),
        },
      },
    },
  } satisfies V1Job
}

/** Its result is whether there is anything to build, and how. */
function cloneContainer(
  { spec, status }: Build,
  settings: BuilderSettings,
  git: BuildCredentials['git'],
  { address, knownRevision }: Pick<BuildInputs, 'address' | 'knownRevision'>,
): V1Container {
  return container('clone', settings.image, cloneScript, {
    env: {
      REPOSITORY: address,
      BRANCH: spec.branch,
      COMMIT: spec.waitForCI ? (status?.sourceRevision ?? '') : spec.revision,
      CONTEXT: spec.context,
      DOCKERFILE: spec.dockerfile,
      KNOWN_REVISION: knownRevision,
      ...defined({ BUILDPACKS: settings.buildpacks?.image }),
    },
    mounts: [
      ...(Object.keys(git).length === 0 ? [] : ['git']),
      ...(settings.gitAuthorities === '' ? [] : ['trust']),
      'generated',
    ],
    resources: {
      requests: { cpu: '100m', memory: '64Mi', ...noDisk },
      // A node adds up the disk limits of a pod: what the clone writes is in the volume, which has its own.
      limits: { ...buildResources(settings).limits, 'ephemeral-storage': homeLimit },
    },
    hasHome: true,
  })
}

/** What git writes besides the repository. */
const homeLimit = '1Gi'

/** With the requests of the clone that runs beside it: 250m and 512Mi, as all of BuildKit needs. */
const besideClone = { cpu: '150m', memory: '448Mi', ...noDisk }

const buildResources = ({ cpu, memory, disk }: BuilderSettings) => ({
  requests: { cpu: '250m', memory: '512Mi', ...noDisk },
  limits: { cpu, memory, 'ephemeral-storage': disk },
})

/**
 * After BuildKit's container, which needs only the result of the clone: a builder image is large, and a node pulls the
 * images of a pod in their order.
 */
function buildpacksContainer(
  { spec }: Build,
  settings: BuilderSettings,
  destination: string,
  mounts: readonly string[],
): V1Container[] {
  if (settings.buildpacks === undefined) return []
  const { image, user: userOfImage, runImage } = settings.buildpacks
  const isCached = spec.cache && canKeepCache(destination, settings.plainRegistries)
  return [
    container('buildpacks', image, creatorScript, {
      env: {
        SERVICE: spec.app,
        DESTINATION: destination,
        CACHE: spec.cache ? 'on' : 'off',
        CACHE_IMAGE: isCached ? `${destination}:${spec.app}-buildpackscache` : '',
        RUN_IMAGE: runImage,
        DOCKER_CONFIG: '/run/registry',
        CNB_PLATFORM_API: platformApi,
        CNB_NO_COLOR: 'true',
        CNB_INSECURE_REGISTRIES: settings.plainRegistries.join(','),
      },
      mounts,
      resources: buildResources(settings),
      // The lifecycle refuses to run as any user but that of its image.
      security: { ...confined, ...userOfImage },
      // Images have these paths in them; buildpacks and people rely on them.
      folders: ['layers', 'workspace'],
    }),
  ]
}

function gitFiles(git: BuildCredentials['git']): string[] {
  const keys = gitKeys.filter((key) => git[key] !== undefined)
  return keys.length === 0 ? [] : [...keys, 'hidden']
}

interface Container {
  env: Record<string, string>
  /** Which files of the Secret it has, under `/run/<name>`. */
  mounts: readonly string[]
  /** Which folders of the volume are mounted at the root, besides the whole volume at `/work`. */
  folders?: readonly string[]
  /** Whether it has a volume of its own at `/run/home`, which no other container sees. */
  hasHome?: boolean
  resources: NonNullable<V1Container['resources']>
  security?: V1Container['securityContext']
}

function container(
  name: string,
  image: string,
  script: string,
  { env, mounts, folders = [], hasHome = false, resources, security }: Container,
): V1Container {
  return {
    name,
    image,
    command: ['sh', '-c', script],
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    resources,
    volumeMounts: [
      { name: 'work', mountPath: '/work' },
      ...folders.map((subPath) => ({ name: 'work', mountPath: `/${subPath}`, subPath })),
      ...(hasHome ? [{ name: 'home', mountPath: '/run/home' }] : []),
      ...mounts.map((mount) => ({ name: mount, mountPath: `/run/${mount}`, readOnly: true })),
    ],
    terminationMessagePolicy: 'File',
    securityContext: security ?? { ...confined, ...asBuilder },
  }
}

function secretVolume(
  secretName: string,
  name: string,
  keys: readonly string[],
  more: { optional?: boolean } = {},
): V1Volume | undefined {
  if (keys.length === 0) return undefined
  const items = keys.map((key) => ({ key: `${name}-${key}`, path: key }))
  return { name, secret: { secretName, defaultMode: 0o440, items, ...more } }
}
