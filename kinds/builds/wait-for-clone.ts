/**
 * How the containers of a build that start beside the clone wait for it.
 *
 * 1. The clone ends and leaves one of two files in the shared volume: it has fetched everything, or it has failed.
 * 2. The others look for them; after a failure they end at once, without a word, with an exit code of their own.
 * 3. A clone that is killed leaves neither. Then its state in the status of the pod fails the build, whose Job is
 *    removed with all containers; without a worker the deadline of the Job ends them.
 */

export const clonedFile = '/work/cloned'
export const notClonedFile = '/work/not-cloned'

/** The exit code of a container that found that the clone has failed; neither 1 nor 2, nor that of a signal. */
export const notClonedCode = 64

/** Lines of a script: returns once the files of the repository are there. */
export const waitForClone = `until [ -e ${clonedFile} ]; do
    [ ! -e ${notClonedFile} ] || exit ${notClonedCode}
    sleep 0.1
  done`
