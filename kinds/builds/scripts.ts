/**
 * What the two containers of a build run, in the shell of the builder image. Every value comes by the environment and
 * is quoted; a failure is one sentence in the termination message.
 */

import { recognisedBy } from './dockerfiles.ts'

const looked = [...new Set(recognisedBy.map(([file]) => file))].join(', ')

const head = `set -u
fail() { echo "$1"; printf '%s' "$1" >/dev/termination-log; exit 1; }
`

/**
 * Fetches one commit, and finds out how it is built. Its result: {"revision", "kind"?, "reused"?}. The login is told to
 * the host of the repository alone: a submodule may be anywhere, and its server may ask for one.
 */
export const cloneScript = `${head}
export HOME=/work/home GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1 GIT_ALLOW_PROTOCOL=http:https:ssh
mkdir -p /work/home /work/src /work/gen /work/run /work/tmp && cd /work/src || fail 'the disk of the build cannot be written to'
if [ -f /run/git/token ]; then
  export LOGIN_SCHEME="\${REPOSITORY%%://*}" LOGIN_HOST="\${REPOSITORY#*://}"
  LOGIN_HOST="\${LOGIN_HOST%%/*}"
  cat >/work/home/askpass <<'END'
#!/bin/sh
asked=$(printf '%s' "$1" | tr -d "\\"'" | sed 's/: $//')
case "$asked" in
  "Username for $LOGIN_SCHEME://$LOGIN_HOST") cat /run/git/username 2>/dev/null || echo x-access-token;;
  "Password for $LOGIN_SCHEME://"*"@$LOGIN_HOST") cat /run/git/token;;
  *) exit 1;;
esac
END
  chmod 700 /work/home/askpass
  export GIT_ASKPASS=/work/home/askpass
fi
if [ -f /run/git/ssh-privatekey ]; then
  (umask 077; cat /run/git/ssh-privatekey >/work/home/key; echo >>/work/home/key)
  checking=accept-new
  if [ -f /run/git/known_hosts ]; then cp /run/git/known_hosts /work/home/hosts; checking=yes; fi
  export GIT_SSH_COMMAND="ssh -i /work/home/key -o IdentitiesOnly=yes -o BatchMode=yes -o UserKnownHostsFile=/work/home/hosts -o StrictHostKeyChecking=$checking"
fi
git init -q . && git remote add origin "$REPOSITORY" || fail 'git could not begin'
ref=HEAD what=commit
[ -z "$BRANCH" ] || { ref="refs/heads/$BRANCH"; what="branch $BRANCH"; }
[ -z "$COMMIT" ] || { ref="$COMMIT"; what="commit $COMMIT"; }
echo "fetching $ref of $REPOSITORY"
if ! git fetch -q --depth 1 --no-tags origin "$ref" 2>/work/home/said; then
  cat /work/home/said
  said=$(tail -n 1 /work/home/said)
  case "$(cat /work/home/said)" in
    *"find remote ref"*|*"not our ref"*) fail "the repository has no $what";;
    *"uthentication failed"*|*"could not read Username"*|*"Permission denied"*|*" 401"*|*" 403"*) fail 'the repository refuses the login, or needs one';;
    *"Host key verification"*) fail 'the host key of the git server is not the one that is known';;
    *"not found"*|*"does not appear to be a git repository"*) fail 'the repository was not found, or needs a login';;
    *) fail "the repository cannot be fetched: $said";;
  esac
fi
git checkout -q FETCH_HEAD || fail 'the commit cannot be checked out'
revision=$(git rev-parse HEAD)
echo "commit $revision"
printf '%s' "$revision" >/work/revision
if [ "$revision" = "$KNOWN_REVISION" ]; then
  echo 'this commit has an image already'
  touch /work/unchanged
  printf '{"revision":"%s","reused":true}' "$revision" >/dev/termination-log
  exit 0
fi
if [ -f .gitmodules ]; then
  git submodule update -q --init --recursive --depth 1 || fail 'a submodule cannot be fetched'
fi
if grep -qs 'filter=lfs' .gitattributes; then
  git lfs version >/dev/null 2>&1 || fail 'the repository has files in Git LFS, which this builder cannot fetch'
  git lfs pull || fail 'the files in Git LFS cannot be fetched'
fi
rm -rf /work/home/key /work/home/askpass .git
context=$(cd "./$CONTEXT" 2>/dev/null && pwd -P) || fail "the repository has no folder $CONTEXT"
case "$context" in /work/src|/work/src/*) ;; *) fail "the folder $CONTEXT leads out of the repository";; esac
printf '%s' "$context" >/work/context
if [ -f "$context/$DOCKERFILE" ]; then
  file=$(readlink -f "$context/$DOCKERFILE")
  case "$file" in /work/src/*) ;; *) fail "the file $DOCKERFILE leads out of the repository";; esac
  printf '%s' "$file" >/work/dockerfile
  printf '{"revision":"%s"}' "$revision" >/dev/termination-log
  exit 0
fi
[ "$DOCKERFILE" = Dockerfile ] || fail "the repository has no file $DOCKERFILE in $CONTEXT"
kind=
for pair in ${recognisedBy.map(([file, kind]) => `${file}:${kind}`).join(' ')}; do
  if [ -z "$kind" ] && [ -f "$context/\${pair%%:*}" ]; then kind=\${pair##*:}; fi
done
[ -n "$kind" ] || fail "the repository has no Dockerfile in $CONTEXT, and nothing else to build it by: looked for ${looked}"
echo "no Dockerfile: built as $kind"
cp "/run/generated/$kind" /work/gen/Dockerfile
printf '%s' /work/gen/Dockerfile >/work/dockerfile
printf '{"revision":"%s","kind":"%s"}' "$revision" "$kind" >/dev/termination-log
`

/**
 * Builds and pushes. Its result: {"digest"}. The daemon lives as long as this container; SIGTERM ends it with all build
 * steps.
 */
export const buildScript = `${head}
[ ! -f /work/unchanged ] || { printf '{}' >/dev/termination-log; exit 0; }
export HOME=/work/home USER=build XDG_RUNTIME_DIR=/work/run TMPDIR=/work/tmp DOCKER_CONFIG=/run/registry
address=unix:///work/run/buildkitd.sock
main() {
  rootlesskit --state-dir=/work/run/rootlesskit buildkitd --config /run/builder/buildkitd.toml --root /work/buildkit --addr "$address" --oci-worker-no-process-sandbox >/work/run/daemon 2>&1 &
  daemon=$!
  tries=0
  until buildctl --addr "$address" debug workers >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -gt 150 ] || ! kill -0 "$daemon" 2>/dev/null; then tail -n 20 /work/run/daemon; fail 'the builder did not start'; fi
    sleep 0.2
  done
  revision=$(cat /work/revision)
  file=$(cat /work/dockerfile)
  name="$DESTINATION:$SERVICE-$(printf '%s' "$revision" | cut -c1-12)"
  set -- --frontend dockerfile.v0 --local "context=$(cat /work/context)" --local "dockerfile=\${file%/*}" --opt "filename=\${file##*/}" --opt "label:org.opencontainers.image.revision=$revision" --output "type=image,name=$name,push=true" --metadata-file /work/result
  if [ "$CACHE" = on ]; then
    set -- "$@" --import-cache "type=registry,ref=$DESTINATION:$SERVICE-buildcache" --export-cache "type=registry,ref=$DESTINATION:$SERVICE-buildcache,mode=max,ignore-error=true"
  fi
  { buildctl --addr "$address" build --progress plain "$@" 2>&1; echo $? >/work/status; } |
    awk '{ print; fflush() } /^(error|ERROR): /{ last = $0 } END { printf "%s", last >"/work/error" }'
  if [ "$(cat /work/status)" != 0 ]; then
    why=$(sed 's/^[a-zA-Z]*: //; s/^failed to solve: //' /work/error | cut -c1-1500)
    case "$why" in
      *"failed to push"*|*"unexpected status"*40[13]*|*"push access denied"*|*"authorization failed"*) fail "the image could not be pushed to $DESTINATION: $why";;
      *"no space left on device"*) fail "the disk of the build is full: $why";;
      *"exit code: 137"*) fail "a step of the build was killed, most likely for want of memory: $why";;
      *) fail "\${why:-no reason was given}";;
    esac
  fi
  digest=$(tr -d '\\n' </work/result | sed -n 's/.*"containerimage.digest": *"\\(sha256:[0-9a-f]*\\)".*/\\1/p')
  [ -n "$digest" ] || fail 'the builder gave no digest of the image'
  echo "pushed $name@$digest"
  printf '{"digest":"%s"}' "$digest" >/dev/termination-log
}
trap 'trap "" TERM; kill -TERM 0; exit 143' TERM
main & wait $!
`
