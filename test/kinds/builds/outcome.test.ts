/** What became of a build, by its Job and its pod. */
import { expect } from 'chai'
import { outcomeOf } from '../../../kinds/builds/outcome.ts'

describe('what became of a build', () => {
  const ended = (name: string, exitCode: number, message: string, reason = 'Completed') => ({
    name,
    state: { terminated: { exitCode, message, reason } },
  })
  const cloned = ended('clone', 0, '{"revision":"abc"}')
  const failed = (reason: string) => ({
    metadata: {},
    status: { conditions: [{ type: 'Failed', status: 'True', reason }] },
  })
  const withBuildpacks = (buildpacks: object) => ({
    status: {
      initContainerStatuses: [ended('clone', 0, '{"revision":"abc","kind":"buildpacks"}')],
      containerStatuses: [
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
        { status: { initContainerStatuses: [{ name: 'clone', state: { running: {} } }] } },
        { state: 'running', step: 'fetching the repository' },
      ],
      [
        'a clone that failed',
        { metadata: {} },
        { status: { initContainerStatuses: [ended('clone', 1, 'the repository has no branch x', 'Error')] } },
        { state: 'failed', why: 'the repository has no branch x' },
      ],
      [
        'a build that was pushed',
        { metadata: {} },
        {
          status: { initContainerStatuses: [cloned], containerStatuses: [ended('build', 0, '{"digest":"sha256:00"}')] },
        },
        { state: 'succeeded', revision: 'abc', digest: 'sha256:00', made: {} },
      ],
      [
        'a build that says how large its image is, and what it took from the cache',
        { metadata: {} },
        {
          status: {
            initContainerStatuses: [cloned],
            containerStatuses: [ended('build', 0, '{"digest":"sha256:00","steps":4,"cachedSteps":3,"bytes":1048576}')],
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
            initContainerStatuses: [ended('clone', 0, '{"revision":"abc","reused":true}')],
            containerStatuses: [ended('build', 0, '{}')],
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
        { status: { initContainerStatuses: [cloned], containerStatuses: [{ name: 'build', state: { running: {} } }] } },
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
            initContainerStatuses: [cloned],
            containerStatuses: [
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
        { status: { initContainerStatuses: [cloned], containerStatuses: [ended('build', 0, 'hello')] } },
        { state: 'failed', why: 'the build ended without a result', revision: 'abc' },
      ],
    ]
  for (const [what, job, pod, is] of rows) it(what, () => expect(outcomeOf(job, pod, 30)).to.deep.equal(is))
})
