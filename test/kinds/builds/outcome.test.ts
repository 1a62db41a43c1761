/** What became of a build, by its Job and its pod. */
import { expect } from 'chai'
import { hostsMet, outcomeOf } from '../../../kinds/builds/outcome.ts'
import { cloneKilled, notClonedCode } from '../../../kinds/builds/wait-for-clone.ts'

describe('what became of a build', () => {
  const ended = (name: string, exitCode: number, message: string, reason = 'Completed') => ({
    name,
    state: { terminated: { exitCode, message, reason } },
  })
  const cloning = { name: 'clone', state: { running: {} } }
  /** Running, which it does also while it waits for the clone. */
  const waiting = { name: 'build', state: { running: {} } }
  /** Of a clone that failed. */
  const unused = ended('build', notClonedCode, '', 'Error')
  /** Of one that was killed. */
  const unusedForKill = ended('build', notClonedCode, cloneKilled, 'Error')
  const cloned = ended('clone', 0, '{"revision":"abc"}')
  const failed = (reason: string) => ({
    metadata: {},
    status: { conditions: [{ type: 'Failed', status: 'True', reason }] },
  })
  const withBuildpacks = (buildpacks: object) => ({
    status: {
      containerStatuses: [
        ended('clone', 0, '{"revision":"abc","kind":"buildpacks"}'),
        { name: 'build', state: { running: {} } },
        { name: 'buildpacks', state: buildpacks },
      ],
    },
  })
  const unpulled = { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } }
  const rows: [what: string, job: Parameters<typeof outcomeOf>[0], pod: Parameters<typeof outcomeOf>[1], is: object][] =
    [
      ['no pod yet', { metadata: {} }, undefined, { state: 'running', step: 'waiting for a pod' }],
      [
        'a clone that runs',
        { metadata: {} },
        { status: { containerStatuses: [cloning, waiting] } },
        { state: 'running', step: 'fetching the repository' },
      ],
      [
        'a clone that failed',
        { metadata: {} },
        { status: { containerStatuses: [ended('clone', 1, 'the repository has no branch x', 'Error'), unused] } },
        { state: 'failed', why: 'the repository has no branch x' },
      ],
      [
        'a clone without memory, for which the builder waits',
        { metadata: {} },
        { status: { containerStatuses: [ended('clone', 137, '', 'OOMKilled'), waiting] } },
        { state: 'failed', why: 'the build needed more memory than it may have' },
      ],
      [
        'a clone that was killed, while the status shows that the builder waits for it',
        { metadata: {} },
        { status: { containerStatuses: [ended('clone', 137, '', 'Error'), waiting] } },
        { state: 'failed', why: 'the clone was killed before it had ended (exit code 137)' },
      ],
      [
        'a clone that was killed while no worker ran, so that the builder has ended, and the Job',
        failed('BackoffLimitExceeded'),
        { status: { containerStatuses: [ended('clone', 137, '', 'Error'), unusedForKill] } },
        { state: 'failed', why: 'the clone was killed before it had ended (exit code 137)' },
      ],
      [
        'a clone without memory while no worker ran',
        failed('BackoffLimitExceeded'),
        { status: { containerStatuses: [ended('clone', 137, '', 'OOMKilled'), unusedForKill] } },
        { state: 'failed', why: 'the build needed more memory than it may have' },
      ],
      [
        'a clone that was killed, while the status shows only that the builder has ended',
        { metadata: {} },
        { status: { containerStatuses: [cloning, unusedForKill] } },
        { state: 'running', step: 'fetching the repository' },
      ],
      [
        'a clone that the deadline has killed',
        failed('DeadlineExceeded'),
        { status: { containerStatuses: [ended('clone', 137, '', 'Error'), ended('build', 143, '', 'Error')] } },
        { state: 'failed', why: 'the build took longer than 30 minutes' },
      ],
      [
        'a clone that failed, while the status shows only that the builder did not wait for it any longer',
        { metadata: {} },
        { status: { containerStatuses: [cloning, unused] } },
        { state: 'running', step: 'fetching the repository' },
      ],
      [
        'a builder that is killed beside a clone that runs',
        { metadata: {} },
        { status: { containerStatuses: [cloning, ended('build', 137, '', 'OOMKilled')] } },
        { state: 'failed', why: 'the build needed more memory than it may have' },
      ],
      [
        'a commit that has an image, while the status shows only the end of the builder',
        { metadata: {} },
        { status: { containerStatuses: [cloning, ended('build', 0, '{}')] } },
        { state: 'running', step: 'fetching the repository' },
      ],
      [
        'a clone whose image cannot be pulled',
        { metadata: {} },
        { status: { containerStatuses: [{ name: 'clone', state: unpulled }, waiting] } },
        { state: 'running', step: 'the image of the builder cannot be pulled: no such image' },
      ],
      [
        'a build that was pushed',
        { metadata: {} },
        {
          status: { containerStatuses: [cloned, ended('build', 0, '{"digest":"sha256:00"}')] },
        },
        { state: 'succeeded', revision: 'abc', digest: 'sha256:00', made: {} },
      ],
      [
        'a build that says how large its image is, and what it took from the cache',
        { metadata: {} },
        {
          status: {
            containerStatuses: [
              cloned,
              ended('build', 0, '{"digest":"sha256:00","steps":4,"cachedSteps":3,"bytes":1048576}'),
            ],
          },
        },
        {
          ...{ state: 'succeeded', revision: 'abc', digest: 'sha256:00' },
          made: { imageBytes: 1_048_576, steps: 4, cachedSteps: 3 },
        },
      ],
      [
        'a commit that has an image',
        { metadata: {} },
        {
          status: {
            containerStatuses: [ended('clone', 0, '{"revision":"abc","reused":true}'), ended('build', 0, '{}')],
          },
        },
        { state: 'unchanged', revision: 'abc' },
      ],
      [
        'a deadline',
        failed('DeadlineExceeded'),
        undefined,
        { state: 'failed', why: 'the build took longer than 30 minutes' },
      ],
      [
        'a deadline, while its pod is still there',
        {
          metadata: {},
          status: { conditions: [{ type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded' }] },
        },
        { status: { containerStatuses: [cloned, waiting] } },
        { state: 'failed', why: 'the build took longer than 30 minutes', revision: 'abc' },
      ],
      [
        'a pod that is gone',
        failed('BackoffLimitExceeded'),
        undefined,
        { state: 'failed', why: 'the pod of the build was lost before it had ended' },
      ],
      [
        'an eviction',
        failed('BackoffLimitExceeded'),
        { status: { reason: 'Evicted', message: 'Usage of EmptyDir volume "work" exceeds the limit' } },
        {
          state: 'failed',
          why: 'the node of the build was short of what it used: Usage of EmptyDir volume "work" exceeds the limit',
        },
      ],
      [
        'buildpacks that run',
        { metadata: {} },
        withBuildpacks({ running: {} }),
        { state: 'running', step: 'building', revision: 'abc' },
      ],
      [
        'a builder image that cannot be pulled',
        { metadata: {} },
        withBuildpacks(unpulled),
        { state: 'running', step: 'the image of the builder cannot be pulled: no such image', revision: 'abc' },
      ],
      [
        'a builder image that cannot be pulled, and is not used',
        { metadata: {} },
        {
          status: {
            containerStatuses: [
              cloned,
              { name: 'build', state: { running: {} } },
              { name: 'buildpacks', state: unpulled },
            ],
          },
        },
        { state: 'running', step: 'building', revision: 'abc' },
      ],
      [
        'buildpacks that ended, while the other container reads the last of them',
        { metadata: {} },
        withBuildpacks({ terminated: { exitCode: 0 } }),
        { state: 'running', step: 'building', revision: 'abc' },
      ],
      [
        'buildpacks without memory',
        { metadata: {} },
        withBuildpacks({ terminated: { exitCode: 137, reason: 'OOMKilled' } }),
        { state: 'failed', why: 'the build needed more memory than it may have', revision: 'abc' },
      ],
      [
        'a builder image without a shell',
        { metadata: {} },
        withBuildpacks({ terminated: { exitCode: 128, reason: 'StartError', message: 'exec: "sh": not found' } }),
        { state: 'failed', why: 'exec: "sh": not found', revision: 'abc' },
      ],
      [
        'a result that says nothing',
        { metadata: {}, status: { conditions: [{ type: 'Complete', status: 'True' }] } },
        { status: { containerStatuses: [cloned, ended('build', 0, 'hello')] } },
        { state: 'failed', why: 'the build ended without a result', revision: 'abc' },
      ],
    ]
  for (const [what, job, pod, is] of rows) it(what, () => expect(outcomeOf(job, pod, 30)).to.deep.equal(is))

  /** The pod as a Job of release 0.1 has it, whose clone is an init container. */
  const ofFormerRelease = ({ status = {} }: NonNullable<Parameters<typeof outcomeOf>[1]>) => {
    const { containerStatuses = [] } = status
    const isClone = ({ name }: { name: string }) => name === 'clone'
    const others = containerStatuses.filter((each) => !isClone(each))
    return {
      status: { ...status, initContainerStatuses: containerStatuses.filter(isClone), containerStatuses: others },
    }
  }
  for (const [what, job, pod, is] of rows)
    if (pod?.status?.containerStatuses !== undefined)
      it(`${what}, by a Job of a former release`, () =>
        expect(outcomeOf(job, ofFormerRelease(pod), 30)).to.deep.equal(is))

  it('a deadline of one minute', () =>
    expect(outcomeOf(failed('DeadlineExceeded'), undefined, 1)).to.deep.equal({
      state: 'failed',
      why: 'the build took longer than 1 minute',
    }))

  it('the host keys that a clone met are read of both kinds of Job', () => {
    const pod = { status: { containerStatuses: [ended('clone', 0, '{"revision":"abc","hosts":"a2V5"}')] } }
    expect([hostsMet(pod), hostsMet(ofFormerRelease(pod)), hostsMet(undefined)]).to.deep.equal([
      'key',
      'key',
      undefined,
    ])
  })
})
