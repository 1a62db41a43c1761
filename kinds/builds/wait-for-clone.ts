/**
 * How the containers of a build, which start side by side, wait for the clone and see the end of each other.
 *
 * 1. The clone makes a named pipe in the shared volume, which it holds open for writing as long as it lives.
 * 2. It ends and leaves one of two files there: it has fetched everything, or it has failed.
 * 3. The others read the pipe, which ends with the clone, and look for the files. After a failure they end at once,
 *    without a word, with an exit code of their own.
 * 4. A clone that is killed leaves neither file, but the kernel closes its pipe all the same: so the others end, and
 *    with them the Job, also while no worker runs. The state of the clone in the status of the pod says the rest.
 */

export const clonedFile = '/work/cloned'
export const notClonedFile = '/work/not-cloned'
const clonePipe = '/work/cloning'
const builderPipe = '/work/building'

/** The exit code of a container that found that the clone has failed; neither 1 nor 2, nor that of a signal. */
export const notClonedCode = 64

export const cloneKilled = 'the clone was killed before it had ended'

/**
 * Lines of a script: from here on other containers see its end. The pipe has its name only once it is held. It is
 * opened for both directions, since an open for writing alone would wait for a reader; so do the others.
 */
const holding = (
  pipe: string,
): string => `mkfifo ${pipe}.new && chmod 0666 ${pipe}.new || fail 'the disk of the build cannot be written to'
exec 7<>${pipe}.new
mv ${pipe}.new ${pipe}
`

/** Lines of a script: returns when the container that holds the pipe has ended. */
const untilEnd = (pipe: string): string => `exec 8<>${pipe} 9<${pipe} 8>&-
    read -r end <&9
    exec 9<&-`

export const holdClonePipe = holding(clonePipe)
export const holdBuilderPipe = holding(builderPipe)

/** Lines of a script: returns once the files of the repository are there. */
export const waitForClone = `until [ -e ${clonedFile} ]; do
    [ ! -e ${notClonedFile} ] || exit ${notClonedCode}
    [ -p ${clonePipe} ] || { sleep 0.1; continue; }
    ${untilEnd(clonePipe)}
    [ ! -e ${clonedFile} ] && [ ! -e ${notClonedFile} ] || continue
    echo '${cloneKilled}'
    printf '%s' '${cloneKilled}' >/dev/termination-log
    exit ${notClonedCode}
  done`

/**
 * Lines of the script of buildpacks, whose log the builder reads: it ends with the builder, which may have been killed
 * before it has opened that log. The pipe of a builder that has not started is awaited.
 */
export const endWithBuilder = `{
    until [ -p ${builderPipe} ]; do sleep 0.1; done
    ${untilEnd(builderPipe)}
    kill -TERM $$
  } &
  trap "kill $! 2>/dev/null" EXIT`
