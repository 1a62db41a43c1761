/**
 * The health of copies as a table: the state on the cluster, and the text that a user reads. And what was applied of a
 * service, and what was written over it.
 */
import { expect } from 'chai'
import { appliedText, healthOf, type Made } from '../../../../kinds/apps/assess/health.ts'
import { annotations, labels } from '../../../../kinds/meta/annotations.ts'
import type { PodView } from '../../../../kinds/pods/trouble.ts'

const release = { 'svc.dev/release': 'r1' }
const up = { observedGeneration: 3, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 }
const deployment = (status: object = up) => ({
  metadata: { generation: 3, annotations: release },
  spec: { replicas: 2 },
  status,
})
const pod = (status: PodView['status'], notes = release): PodView => ({
  metadata: { name: 'p1', annotations: notes },
  status: status ?? {},
})
const older = { 'svc.dev/release': 'r0' }
const readyPod = (name: string, notes = release): PodView => ({
  metadata: { name, annotations: notes },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
})
const stopping = { ...readyPod('p0', older), metadata: { name: 'p0', annotations: older, deletionTimestamp: 'now' } }
const ended = { ...readyPod('p9', older), status: { phase: 'Failed' } }
const waiting = (reason: string, message?: string) =>
  pod({
    containerStatuses: [
      {
        name: 'app',
        restartCount: 4,
        state: { waiting: { reason, ...(message === undefined ? {} : { message }) } },
        lastState: { terminated: { reason: 'Error', exitCode: 7 } },
      },
    ],
  })

describe('the health of copies', () => {
  const down = deployment({ observedGeneration: 3, replicas: 2, updatedReplicas: 2 })
  const table: [
    string,
    Parameters<typeof healthOf>[0],
    PodView[],
    { reason: string; ready: boolean; message: RegExp; lasting?: true },
  ][] = [
    ['all up', deployment(), [], { ready: true, reason: 'Ready', message: /2 of 2 copies ready/ }],
    ['nothing made', undefined, [], { ready: false, reason: 'Missing', message: /missing/ }],
    [
      'being deleted',
      { ...deployment(), metadata: { ...deployment().metadata, deletionTimestamp: 'now' } },
      [],
      { ready: false, reason: 'Missing', message: /missing/ },
    ],
    [
      'not seen by its controller yet',
      deployment({ ...up, observedGeneration: 2 }),
      [],
      { ready: false, reason: 'Progressing', message: /2 of 2 available/ },
    ],
    [
      'an old copy still runs',
      deployment({ ...up, replicas: 3 }),
      [readyPod('p1'), readyPod('p2'), readyPod('p0', older)],
      { ready: false, reason: 'Progressing', message: /waiting for old copies to stop/ },
    ],
    [
      'old copies run beside a new one that is not ready, such as one that exited before',
      deployment({ ...up, replicas: 3, updatedReplicas: 1 }),
      [pod({ phase: 'Running' }), readyPod('p8', older), readyPod('p9', older)],
      { ready: false, reason: 'Progressing', message: /waiting for copies: 0 of 2 available/ },
    ],
    [
      'every pod is ready and the Deployment does not say so yet',
      deployment({ ...up, replicas: 3, readyReplicas: 1, availableReplicas: 1 }),
      [readyPod('p1'), readyPod('p2'), stopping, ended],
      { ready: true, reason: 'Ready', message: /2 of 2 copies ready/ },
    ],
    [
      'every pod is ready, and one of the release before is not stopping yet',
      deployment({ ...up, availableReplicas: 1 }),
      [readyPod('p1'), readyPod('p2'), readyPod('p0', older)],
      { ready: false, reason: 'Progressing', message: /1 of 2 available/ },
    ],
    [
      'as many pods as wanted are ready, one of them of the release before',
      deployment({ ...up, availableReplicas: 1 }),
      [readyPod('p1'), readyPod('p0', older)],
      { ready: false, reason: 'Progressing', message: /1 of 2 available/ },
    ],
    [
      'every pod is ready, one of them by an older template of the release',
      deployment({ ...up, updatedReplicas: 1, availableReplicas: 1 }),
      [readyPod('p1'), readyPod('p2')],
      { ready: false, reason: 'Progressing', message: /1 of 2 available/ },
    ],
    [
      'every pod is ready, and has to be for a while',
      { ...deployment({ ...up, availableReplicas: 0 }), spec: { replicas: 2, minReadySeconds: 3 } },
      [readyPod('p1'), readyPod('p2')],
      { ready: false, reason: 'Progressing', message: /0 of 2 available/ },
    ],
    [
      'every pod is ready, and the controller has not seen the newest template',
      deployment({ ...up, observedGeneration: 2 }),
      [readyPod('p1'), readyPod('p2')],
      { ready: false, reason: 'Progressing', message: /2 of 2 available/ },
    ],
    ['copies starting', down, [], { ready: false, reason: 'Progressing', message: /0 of 2 available/ }],
    [
      'an image that cannot be pulled',
      down,
      [waiting('ImagePullBackOff', 'no such image')],
      { ready: false, reason: 'ImagePull', message: /cannot be pulled \(ImagePullBackOff\): no such image/ },
    ],
    [
      'an image of a name that no registry can have',
      down,
      [waiting('InvalidImageName', 'repository name must be lowercase')],
      { ready: false, reason: 'ImagePull', message: /InvalidImageName\): repository name must/, lasting: true },
    ],
    [
      'a crash loop',
      down,
      [waiting('CrashLoopBackOff')],
      { ready: false, reason: 'CrashLoop', message: /keeps exiting \(Error, exit code 7\)/ },
    ],
    [
      'a container that cannot be made',
      down,
      [waiting('CreateContainerConfigError', 'secret "x" not found')],
      { ready: false, reason: 'ContainerConfig', message: /secret "x" not found/ },
    ],
    [
      'an image that runs as root where it may not',
      down,
      [waiting('CreateContainerConfigError', 'container has runAsNonRoot and image will run as root')],
      { ready: false, reason: 'ContainerConfig', message: /--run-as-root on/, lasting: true },
    ],
    [
      'no capacity',
      down,
      [
        pod({
          conditions: [
            { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/2 nodes are available' },
          ],
        }),
      ],
      { ready: false, reason: 'NoRoom', message: /no node has capacity.*0\/2 nodes/ },
    ],
    [
      'a quota that refuses copies',
      deployment({
        observedGeneration: 3,
        conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }],
      }),
      [],
      { ready: false, reason: 'QuotaOrPolicy', message: /exceeded quota/ },
    ],
    [
      'trouble of an old release only',
      down,
      [pod(waiting('CrashLoopBackOff').status, { 'svc.dev/release': 'r0' })],
      { ready: false, reason: 'Progressing', message: /waiting for copies/ },
    ],
    [
      'scaled to nothing',
      { ...deployment({ observedGeneration: 3 }), spec: { replicas: 0 } },
      [],
      { ready: true, reason: 'Ready', message: /0 of 0/ },
    ],
  ]
  for (const [name, seen, pods, wanted] of table) {
    it(`${name}: ${wanted.reason}`, () => {
      const health = healthOf(seen, pods)
      expect(health).to.include({ ready: wanted.ready, reason: wanted.reason })
      expect(health.message).to.match(wanted.message)
      expect(health.lasting).to.equal(wanted.lasting)
    })
  }

  it('counts the restarts of the newest release and names the pod in trouble', () => {
    expect(healthOf(down, [waiting('CrashLoopBackOff')])).to.include({ restarts: 4, pod: 'p1' })
  })
})

const head = (owner: string, applied?: string) => ({
  metadata: {
    labels: { [labels.owner]: owner },
    annotations: applied === undefined ? {} : { [annotations.applied]: applied },
  },
})

describe('what was applied of a service', () => {
  it('names each of its objects by some digits, and those that are not there, or not its own', () => {
    const objects: Made = {
      Deployment: head('u1', '0123456789abcdef'),
      Service: head('u1', 'fedcba9876543210'),
      Ingress: head('another', '1111111111111111'),
      PodDisruptionBudget: head('u1'),
    }
    expect(appliedText('u1', objects)).to.equal('01234567 - fedcba98 - - -')
  })
})
