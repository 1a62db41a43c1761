/**
 * The scripts of two containers of a build, for the shell of svc's builder image (the third: buildpacks.ts). Every
 * value comes from the environment and is quoted; a failure is one sentence in the termination message.
 */
import { buildProcessesMax } from '../../contract/limits.ts'
import { buildpacksFunction, imageName, noProcessLine, prepareBuildpacks, reasonOfBuildpacks } from './buildpacks.ts'
import { clonedFile, holdBuilderPipe, holdClonePipe, notClonedFile, waitForClone } from './wait-for-clone.ts'
import { recognisedBy } from './dockerfiles.ts'

const looked = [...new Set(recognisedBy.map(([file]) => file))].join(', ')

const head = `set -u
fail() { echo "$1"; printf '%s' "$1" >/dev/termination-log; exit 1; }
`

/**
 * From here on all output passes a filter that replaces each secret, a line of `file`, by `***`: so the log can be
 * shown while it grows. The container runs the command `atEnd`, and ends when the filter has written everything.
 */
const hiding = (file: string, log: string, atEnd = ':') => `
hide() {
  awk -v file='${file}' 'BEGIN { while ((getline line < file) > 0) if (line != "") secrets[++count] = line }
{
  for (i = 1; i <= count; i++) {
    left = ""
    while (at = index($0, secrets[i])) { left = left substr($0, 1, at - 1) "***"; $0 = substr($0, at + length(secrets[i])) }
    $0 = left $0
  }
  print; fflush()
}'
}
mkfifo ${log} || fail 'the log of the build cannot be written'
hide <${log} & hider=$!
exec >${log} 2>&1
trap '${atEnd}; exec >/dev/null 2>&1; wait "$hider"' EXIT
`

/**
 * Fetches one commit, and finds out how it is built. Its result: {"revision", "kind"?, "reused"?, "hosts"?}, where
 * `kind` is `buildpacks` or that of the Dockerfile that svc writes, and `hosts` is the base64 of the host keys that
 * were accepted where none were known. The login is sent to the host of the repository alone: a submodule may be on any
 * server, and that server may ask for a login. What it writes of a login is in /run/home, which no other container has.
 */
export const cloneScript = `${head}
export HOME=/run/home GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1 GIT_ALLOW_PROTOCOL=http:https:ssh
mkdir -p /work/src /work/gen /work/run && cd /work/src || fail 'the disk of the build cannot be written to'
${holdClonePipe}${hiding('/run/git/hidden', '/work/run/clone.log', `[ -e ${clonedFile} ] || : >${notClonedFile}`)}
if [ -f /run/git/token ]; then
  export LOGIN_SCHEME="\${REPOSITORY%%://*}" LOGIN_HOST="\${REPOSITORY#*://}"
  LOGIN_HOST="\${LOGIN_HOST%%/*}"
  cat >/run/home/askpass <<'END'
#!/bin/sh
asked=$(printf '%s' "$1" | tr -d "\\"'" | sed 's/: $//')
case "$asked" in
  "Username for $LOGIN_SCHEME://$LOGIN_HOST") cat /run/git/username 2>/dev/null || echo x-access-token;;
  "Password for $LOGIN_SCHEME://"*"@$LOGIN_HOST") cat /run/git/token;;
  *) exit 1;;
esac
END
  chmod 700 /run/home/askpass
  export GIT_ASKPASS=/run/home/askpass
fi
if [ -f /run/trust/authorities.pem ]; then
  cat /etc/ssl/certs/ca-certificates.crt /run/trust/authorities.pem >/run/home/authorities 2>/dev/null
  export GIT_SSL_CAINFO=/run/home/authorities
fi
checking=
case "$REPOSITORY" in
  http://*|https://*) ;;
  *) [ -f /run/git/ssh-privatekey ] || fail 'the repository is read over ssh, and there is no key for it: make a deploy key of the service, or name a Secret with an ssh-privatekey';;
esac
if [ -f /run/git/ssh-privatekey ]; then
  (umask 077; cat /run/git/ssh-privatekey >/run/home/key; echo >>/run/home/key)
  checking=accept-new
  if [ -f /run/git/known_hosts ]; then cp /run/git/known_hosts /run/home/hosts; checking=yes; fi
  export GIT_SSH_COMMAND="ssh -i /run/home/key -o IdentitiesOnly=yes -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=30 -o HashKnownHosts=no -o UpdateHostKeys=no -o UserKnownHostsFile=/run/home/hosts -o StrictHostKeyChecking=$checking"
fi
finish() {
  met=
  if [ "$checking" = accept-new ]; then met=",\\"hosts\\":\\"$(head -c 2000 /run/home/hosts | base64 | tr -d '\\n')\\""; fi
  printf '{"revision":"%s"%s%s}' "$revision" "$1" "$met" >/dev/termination-log
  : >${clonedFile}
  exit 0
}
git init -q . && git remote add origin "$REPOSITORY" || fail 'git could not begin'
git config http.lowSpeedLimit 1 && git config http.lowSpeedTime 120
ref=HEAD what=commit
[ -z "$BRANCH" ] || { ref="refs/heads/$BRANCH"; what="branch $BRANCH"; }
[ -z "$COMMIT" ] || { ref="$COMMIT"; what="commit $COMMIT"; }
echo "fetching $ref of $REPOSITORY"
if ! git fetch -q --depth 1 --no-tags origin "$ref" 2>/run/home/said; then
  cat /run/home/said
  said=$(grep -m 1 -E '^(ssh|ERROR|fatal|error): ' /run/home/said | tr -d '\\r' | cut -c1-500)
  case "$(cat /run/home/said)" in
    *"Host key verification"*) fail 'the host key of the git server is not the one that is known';;
    *"ermission denied (publickey"*) fail 'the git server refuses the ssh key: its public half has to be a key of the repository';;
    *"certificate verification failed"*|*"SSL certificate problem"*|*"certificate subject name"*|*"server verification failed"*) fail "the certificate of the git server is not trusted: $said";;
    *"find remote ref"*|*"not our ref"*) fail "the repository has no $what";;
    *"uthentication failed"*|*"could not read Username"*|*"Permission denied"*|*" 401"*|*" 403"*) fail 'the repository refuses the login, or needs one';;
    *"not found"*|*"does not appear to be a git repository"*) fail 'the repository was not found, or needs a login';;
    *"No space left on device"*) fail "the disk of the build is full: $said";;
    *"ould not resolve host"*|*"to connect to"*|*"onnection refused"*|*"onnection timed out"*|*"onnection reset"*|*"onnection closed"*|*"route to host"*|*"Empty reply"*|*"too slow"*|*"early EOF"*|*"unexpected disconnect"*|*"hung up"*|*"returned error: 5"*) fail "the git server does not answer: $said";;
    *) fail "the repository cannot be fetched: \${said:-git gave no reason}";;
  esac
fi
git checkout -q FETCH_HEAD || fail 'the commit cannot be checked out'
revision=$(git rev-parse HEAD)
echo "commit $revision"
printf '%s' "$revision" >/work/revision
if [ "$revision" = "$KNOWN_REVISION" ]; then
  echo 'this commit has an image already'
  touch /work/unchanged
  rm -rf /run/home/key /run/home/askpass
  finish ',"reused":true'
fi
if [ -f .gitmodules ]; then
  git submodule update -q --init --recursive --depth 1 || fail 'a submodule cannot be fetched'
fi
if grep -qs 'filter=lfs' .gitattributes; then
  git lfs version >/dev/null 2>&1 || fail 'the repository has files in Git LFS, which this builder cannot fetch'
  git lfs pull || fail 'the files in Git LFS cannot be fetched'
fi
rm -rf /run/home/key /run/home/askpass .git
context=$(cd "./$CONTEXT" 2>/dev/null && pwd -P) || fail "the repository has no folder $CONTEXT"
case "$context" in /work/src|/work/src/*) ;; *) fail "the folder $CONTEXT leads out of the repository";; esac
printf '%s' "$context" >/work/context
if [ -f "$context/$DOCKERFILE" ]; then
  file=$(readlink -f "$context/$DOCKERFILE")
  case "$file" in /work/src/*) ;; *) fail "the file $DOCKERFILE leads out of the repository";; esac
  printf '%s' "$file" >/work/dockerfile
  finish ''
fi
[ "$DOCKERFILE" = Dockerfile ] || fail "the repository has no file $DOCKERFILE in $CONTEXT"
kind=
for pair in ${recognisedBy.map(([file, kind]) => `${file}:${kind}`).join(' ')}; do
  if [ -z "$kind" ] && [ -f "$context/\${pair%%:*}" ]; then kind=\${pair##*:}; fi
done
if [ -n "$kind" ]; then
  cp "/run/generated/$kind" /work/gen/Dockerfile
  printf '%s' /work/gen/Dockerfile >/work/dockerfile
fi
if [ -n "\${BUILDPACKS:-}" ]; then
  echo "no Dockerfile: built by the buildpacks of $BUILDPACKS\${kind:+, or as $kind where none of them takes it}"
  ${prepareBuildpacks}
  finish ',"kind":"buildpacks"'
fi
[ -n "$kind" ] || fail "the repository has no Dockerfile in $CONTEXT, and nothing else to build it by: looked for ${looked}"
echo "no Dockerfile: built as $kind"
finish ",\\"kind\\":\\"$kind\\""
`

/**
 * `reason TEXT`: the sentence for the last error of BuildKit. The error of a refused base image reads like the one of a
 * refused push, so the patterns for a push come first.
 */
export const reasonFunction = `reason() {
  case "$1" in
    "no process: "*) echo "the build had more processes than it may have: \${1#*: }";;
    *"no space left on device"*) echo "the disk of the build is full: $1";;
    *"failed to push"*"failed to do request"*|*"failed to push"*" 50"[0-9]*) echo "the registry of $DESTINATION does not answer: $1";;
    *"failed to push"*) echo "the image could not be pushed to $DESTINATION: $1";;
    *"failed to resolve source metadata"*|*"pull access denied"*|*"failed to authorize"*) echo "an image that the Dockerfile names cannot be fetched: $1";;
    *"exit code: 137"*|*"cannot allocate memory"*) echo "a step of the build was killed, most likely for want of memory: $1";;
    *"code = Unavailable"*|*"error reading from server"*) echo "the builder ended before the build had, most likely for want of memory: $1";;
    *) echo "\${1:-no reason was given}";;
  esac
}
`

/**
 * Starts the daemon while the other container clones; then builds and pushes. Its result: {"digest", "bytes"?,
 * "steps"?, "cachedSteps"?}, where the steps are the instructions of the Dockerfile; buildpacks have none. The daemon
 * lives as long as this container; SIGTERM ends it with all build steps.
 *
 * The limit of processes is set within the user namespace of the builder, where processes of its root are counted
 * separately: so it holds for this build alone, and this shell, outside of the namespace, can still report the reason.
 * Steps that run as other users are limited by the node (docs/guides/builds.md#installing); then this shell cannot
 * start a process either: `main` ends with 2, and the rest writes the reason with builtins of the shell alone.
 */
export const buildScript = `${head}${reasonFunction}${reasonOfBuildpacks}${buildpacksFunction(looked)}
mkdir -p /work/home /work/run /work/tmp || fail 'the disk of the build cannot be written to'
${holdBuilderPipe}${hiding('/run/builder/hidden', '/work/run/build.log')}
export HOME=/work/home USER=build XDG_RUNTIME_DIR=/work/run TMPDIR=/work/tmp DOCKER_CONFIG=/run/registry
address=unix:///work/run/buildkitd.sock
main() {
  rootlesskit --state-dir=/work/run/rootlesskit sh -c 'ulimit -u ${buildProcessesMax} 2>/dev/null; exec buildkitd "$@"' buildkitd --config /run/builder/buildkitd.toml --root /work/buildkit --addr "$address" --oci-worker-no-process-sandbox >/work/run/daemon 2>&1 &
  daemon=$!
  ${waitForClone}
  [ ! -f /work/unchanged ] || { printf '{}' >/dev/termination-log; exit 0; }
  [ ! -f /work/buildpacks ] || buildpacks
  tries=0
  until buildctl --addr "$address" debug workers >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -gt 150 ] || ! kill -0 "$daemon" 2>/dev/null; then tail -n 20 /work/run/daemon; fail 'the builder did not start'; fi
    sleep 0.2
  done
  revision=$(cat /work/revision)
  file=$(cat /work/dockerfile)
  ${imageName}
  set -- --frontend dockerfile.v0 --local "context=$(cat /work/context)" --local "dockerfile=\${file%/*}" --opt "filename=\${file##*/}" --opt "label:org.opencontainers.image.revision=$revision" --output "type=image,name=$name,push=true" --metadata-file /work/result
  if [ "$CACHE" = on ]; then
    set -- "$@" --import-cache "type=registry,ref=$DESTINATION:$SERVICE-buildcache" --export-cache "type=registry,ref=$DESTINATION:$SERVICE-buildcache,mode=max,ignore-error=true"
  fi
  for variable in /run/build-args/*; do
    [ ! -f "$variable" ] || set -- "$@" --opt "build-arg:\${variable##*/}=$(cat "$variable")"
  done
  for variable in /run/build-secrets/*; do
    [ ! -f "$variable" ] || set -- "$@" --secret "id=\${variable##*/},src=$variable"
  done
  { buildctl --addr "$address" build --progress plain "$@" 2>&1; echo $? >/work/status; } |
    awk '{ print; fflush() } /^(error|ERROR): / { last = $0 }
/^#[0-9]+ \\[([^]]* )?[0-9]+\\/[0-9]+\\] / && !/\\] FROM / { steps[$1] }
/^#[0-9]+ CACHED$/ { taken[$1] }
/${noProcessLine}/ { refused = $0 }
END {
  for (step in steps) { all++; if (step in taken) cached++ }
  printf "%s", last >"/work/error"
  sub(/^#[0-9]+ [0-9.]+ /, "", refused); printf "%s", refused >"/work/refused"
  printf ",\\"steps\\":%d,\\"cachedSteps\\":%d", all, cached >"/work/steps"
  printf "%d of %d steps from the cache", cached, all >"/work/cached"
}'
  if [ "$(cat /work/status)" != 0 ]; then
    why=$(sed 's/^[a-zA-Z]*: //; s/^failed to solve: //' /work/error | cut -c1-1500)
    [ -s /work/refused ] || grep -m 1 'failed to create new OS thread' /work/run/daemon >/work/refused
    [ ! -s /work/refused ] || why="no process: $why ($(cut -c1-200 /work/refused))"
    fail "$(reason "$why")"
  fi
  digest=$(tr -d '\\n' </work/result | sed -n 's/.*"containerimage.digest": *"\\(sha256:[0-9a-f]*\\)".*/\\1/p')
  [ -n "$digest" ] || fail 'the builder gave no digest of the image'
  bytes=$(cat /work/buildkit/*/content/blobs/sha256/"\${digest#sha256:}" 2>/dev/null | tr -d '\\n' | grep '"layers"' | grep -o '"size": *[0-9]*' | awk -F: '{ sum += $2 } END { if (NR > 0) printf "%.0f", sum }')
  echo "pushed $name@$digest: \${bytes:-unknown} bytes, $(cat /work/cached)"
  printf '{"digest":"%s"%s%s}' "$digest" "$(cat /work/steps)" "\${bytes:+,\\"bytes\\":$bytes}" >/dev/termination-log
}
trap 'trap "" TERM; kill -TERM 0; exit 143' TERM
main & wait $!
code=$?
[ "$code" != 2 ] || [ -s /dev/termination-log ] || fail 'the build had more processes than it may have: the builder could start no other'
exit "$code"
`
