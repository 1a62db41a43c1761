/**
 * Builds of repositories without a Dockerfile by Cloud Native Buildpacks (docs/decisions/0028): the script for the
 * publisher's builder image, and the part of BuildKit's container that reports on it.
 *
 * 1. The clone finds no Dockerfile, and writes the name of the builder image to /work/buildpacks.
 * 2. The container of the builder image runs the lifecycle's creator: it detects, builds and pushes. Its output
 *    goes through a pipe.
 * 3. BuildKit's container reads the pipe to its end, hides the secrets, and then reads the exit code and the report.
 *    Where no buildpack takes the repository, but svc has a Dockerfile for it, this container builds with that.
 *
 * So the log and the result of a build come from BuildKit's container in both cases.
 */
import { endWithBuilder, waitForClone } from './wait-for-clone.ts'

export interface Buildpacks {
  /** A builder image of Cloud Native Buildpacks. */
  image: string
  /** The ids of its user, where the image has only a name: the kubelet cannot tell from a name that it is not root. */
  user: { runAsUser: number; runAsGroup: number } | undefined
  /** The base of the built images; '' for the run image that the builder image names. */
  runImage: string
}

/** The first version in which the lifecycle can be given registries that it reaches by plain HTTP. */
export const platformApi = '0.13'

/** Sets `name`, the name of the image of this build, in the scripts of both containers. */
export const imageName = `name="$DESTINATION:$SERVICE-$(cut -c1-12 /work/revision)"`

/** The lines that programs of all kinds print when they cannot start a process, as a pattern of awk. */
export const noProcessLine =
  '(fork|exec|clone|spawn|thread).*(EAGAIN|esource temporarily unavailable)|an.t (fork|start new thread)|annot fork'

/** After so many such lines the pipe is no longer read: a program may fork forever, and the lifecycle waits for it. */
const refusalsMax = 100

/** The registries at which the lifecycle reaches a cache by plain HTTP, whatever its settings are. */
const plainByAddress = /^(localhost:|127\.0\.0\.1|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)|\.local(host)?(:\d+)?$/

/** Whether the lifecycle can keep a cache at the registry: its option for plain HTTP holds for images only. */
export function canKeepCache(destination: string, plainRegistries: readonly string[]): boolean {
  const [registry = ''] = destination.split('/')
  return !plainRegistries.includes(registry) || plainByAddress.test(registry)
}

/**
 * Runs in the clone: makes the folder and the pipe that the lifecycle, which runs as another user, writes to. The two
 * folders that are mounted elsewhere belong to the node, which makes them with the mode of the volume, 0777.
 */
export const prepareBuildpacks = `mkdir -p /work/cnb && chmod 0777 /work/cnb &&
    mkfifo /work/cnb/log && chmod 0666 /work/cnb/log && printf '%s' "$BUILDPACKS" >/work/buildpacks || fail 'the disk of the build cannot be written to'`

/**
 * Runs in the builder image, which needs only a shell and the usual commands for files. The log goes to the pipe, the
 * exit code of the lifecycle (or `none`, `copy`) to /work/cnb/code, and its report to /work/cnb/report.toml. The files
 * are copied since buildpacks may change their modes and times, and only the owner of a file may do that.
 */
export const creatorScript = `set -u
main() {
  ${waitForClone}
  [ -f /work/buildpacks ] || exit 0
  ${endWithBuilder}
  exec >/work/cnb/log 2>&1
  [ -x /cnb/lifecycle/creator ] || { printf none >/work/cnb/code; exit 0; }
  ${imageName}
  cp -RP "$(cat /work/context)/." /workspace/ && mkdir -p /work/cnb/platform/env || { printf copy >/work/cnb/code; exit 0; }
  for variable in /run/build-args/* /run/build-secrets/*; do
    [ ! -f "$variable" ] || ln -s "$variable" /work/cnb/platform/env/
  done
  printf '[source]\\ntype = "git"\\n[source.version]\\ncommit = "%s"\\n' "$(cat /work/revision)" >/work/cnb/project.toml
  set -- -app /workspace -layers /layers -platform /work/cnb/platform -project-metadata /work/cnb/project.toml -report /work/cnb/report.toml
  [ -z "$RUN_IMAGE" ] || set -- "$@" -run-image "$RUN_IMAGE"
  if [ "$CACHE" = on ]; then
    set -- "$@" -previous-image "$DESTINATION:$SERVICE-buildpacks" -tag "$DESTINATION:$SERVICE-buildpacks"
  else
    set -- "$@" -skip-restore
  fi
  [ -z "$CACHE_IMAGE" ] || set -- "$@" -cache-image "$CACHE_IMAGE"
  /cnb/lifecycle/creator "$@" "$name"
  code=$?
  sed -n 's/^ *id *= *"\\(.*\\)".*/\\1/p' "\${CNB_ORDER_PATH:-/cnb/order.toml}" >/work/cnb/tried
  printf '%s' "$code" >/work/cnb/code
}
trap 'trap "" TERM; kill -TERM 0; exit 143' TERM
main & wait $!
`

/**
 * `reasonOfBuildpacks CODE SAID BEFORE`: the sentence for the exit code of the lifecycle, its last error, and the line
 * before that. Any other code names only the step, and a full disk or a registry can fail several steps: there the text
 * of the error decides.
 */
export const reasonOfBuildpacks = `reasonOfBuildpacks() {
  case "$1" in
    none) echo "the image $builder is no builder of Cloud Native Buildpacks: it has no /cnb/lifecycle/creator"; return;;
    copy) echo "the files of the repository cannot be copied: $3"; return;;
    '') echo "the buildpacks ended before the build had, most likely for want of memory"; return;;
    11|12) echo "the builder image $builder is of another version: $2"; return;;
    21) echo "no buildpack of $builder takes the repository, and one failed while it looked: $3"; return;;
    51) case "$2" in
      *"signal: killed"*|*"exit status 137"*) echo "a buildpack was killed, most likely for want of memory: $3";;
      *) case "$3" in *"o space left on device"*) echo "the disk of the build is full: $3";; *) echo "a buildpack failed: $3 (\${2#failed to build: })";; esac;;
    esac; return;;
  esac
  case "$2" in
    *"o space left on device"*) echo "the disk of the build is full: $2";;
    *"image has no layers"*|*"-run-image"*|*"run image"*) echo "the run image of the buildpacks cannot be fetched: $2";;
    *"registry read access to $DESTINATION:"*|*"registry read/write access to $DESTINATION:"*|*"image \\"$DESTINATION:"*|"failed to export: "*)
      case "$2" in
        *"dial tcp"*|*"connection re"*|*"i/o timeout"*|*"status code 5"*|*": EOF"*|*"broken pipe"*) echo "the registry of $DESTINATION does not answer: $2";;
        *) echo "the image could not be pushed to $DESTINATION: $2";;
      esac;;
    *"registry read access to "*) echo "the run image of the buildpacks cannot be fetched: $2";;
    *) echo "the build by buildpacks failed: \${2:-no reason was given}";;
  esac
}
`

/**
 * Runs first in BuildKit's container: ends the build, or returns where BuildKit is to build. `$DESTINATION` is the
 * image without its tag, `$builder` the name of the builder image. Result and last line have the form of BuildKit's.
 */
export const buildpacksFunction = (looked: string): string => `buildpacks() {
  builder=$(cat /work/buildpacks)
  awk '{ print; fflush() }
/^(Adding layer |Reusing layer )/ { layers++; if (/^R/) kept++ }
/^err: / { sub(/^err: */, ""); failed = failed (failed == "" ? "" : ", ") $0 }
/${noProcessLine}/ { refused = $0; if (++refusals == ${refusalsMax}) exit }
/^ERROR: / { if (last == "") before = line; last = $0 }
/[^ ]/ { line = $0 }
END {
  if (last == "") before = line
  sub(/^ERROR: */, "", last)
  printf "%s", last >"/work/error"
  printf "%s", failed == "" ? before : failed >"/work/before"
  printf "%s", refused >"/work/refused"
  printf "%d of %d layers reused", kept, layers >"/work/cached"
}' </work/cnb/log
  code=$(cat /work/cnb/code 2>/dev/null)
  if [ "$code" = 0 ]; then
    digest=$(sed -n 's/^ *digest *= *"\\(sha256:[0-9a-f]*\\)".*/\\1/p' /work/cnb/report.toml)
    [ -n "$digest" ] || fail 'the builder gave no digest of the image'
    ${imageName}
    echo "pushed $name@$digest: $(cat /work/cached)"
    printf '{"digest":"%s"}' "$digest" >/dev/termination-log
    exit 0
  fi
  [ "$code" = 20 ] || [ ! -s /work/refused ] || fail "$(reason "no process: $(cut -c1-200 /work/refused)")"
  [ "$code" = 20 ] || fail "$(reasonOfBuildpacks "$code" "$(cut -c1-1500 /work/error)" "$(cut -c1-500 /work/before)")"
  tried=$(sort -u /work/cnb/tried | tr '\\n' ',' | sed 's/,$//; s/,/, /g' | cut -c1-1500)
  [ -f /work/dockerfile ] || fail "the repository has no Dockerfile, and nothing else to build it by: no buildpack of $builder takes it (tried $tried), and it has none of ${looked}"
  echo "no buildpack of $builder takes it (tried $tried): built by a Dockerfile of svc"
}
`
