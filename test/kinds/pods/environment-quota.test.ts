/** The messages about a quota and about images that run as root; the valid values of the worker's settings for both. */
import { expect } from 'chai'
import { quotaUsedUp } from '../../../kinds/pods/environment-quota.ts'
import { podTrouble } from '../../../kinds/pods/trouble.ts'
import { placementSettings } from '../../../temporal/settings/placement.ts'

describe('the bounds of an environment', () => {
  const refusal =
    'pods "web-1" is forbidden: exceeded quota: svc-environment, requested: pods=1, used: pods=500, limited: pods=500'
  it('are named when they are reached', () => {
    expect(quotaUsedUp(refusal)).to.match(
      /^the quota of the environment is used up: pods=500 of pods=500, and this asks for pods=1;/,
    )
    expect(quotaUsedUp('pods "web-1" is forbidden: violates PodSecurity "baseline:latest"')).to.equal(undefined)
  })

  it('are what the operator says', () => {
    expect(placementSettings({}).quota).to.include({ pods: '500' })
    expect(placementSettings({ SVC_ENVIRONMENT_QUOTA: 'off' }).quota).to.deep.equal({})
    const quota = { SVC_ENVIRONMENT_QUOTA: '{"pods": 20, "requests.cpu": "500m"}' }
    expect(placementSettings(quota).quota).to.deep.equal({ pods: '20', 'requests.cpu': '500m' })
    expect(placementSettings({ SVC_SCRATCH_LIMIT: '2Gi' }).scratchLimit).to.equal('2Gi')
    expect(placementSettings({}).podSecurity).to.equal('restricted')
    expect(placementSettings({ SVC_POD_SECURITY: 'baseline' }).podSecurity).to.equal('baseline')
  })

  const wrong = {
    SVC_ENVIRONMENT_QUOTA: ['20', '{"pods": "many"}', '{', '[]'],
    SVC_SCRATCH_LIMIT: ['much', '0', '-1Gi'],
    SVC_POD_SECURITY: ['', 'privileged'],
    SVC_SLEEP_INTERCEPTOR: ['keda', 'keda:0', 'http://keda:8080', ':8080'],
    SVC_SLEEP_SCALER: ['keda:70000'],
    SVC_FUNCTION_ENDPOINT: ['', 'ingress', 'ingress:70000'],
  }
  for (const [name, values] of Object.entries(wrong))
    for (const value of values)
      it(`are refused at the start: ${name}=${value}`, () =>
        expect(() => placementSettings({ [name]: value })).to.throw(name))
})

describe('an image that runs as root where that is not allowed', () => {
  const messages = [
    'container has runAsNonRoot and image will run as root (pod: "web-1", container: app)',
    'container has runAsNonRoot and image has non-numeric user (nginx), cannot verify user is non-root (pod: "web-1", container: app)',
  ]
  for (const message of messages)
    it(`is reported with its remedy: ${message.slice(0, 70)}`, () => {
      const state = { waiting: { reason: 'CreateContainerConfigError', message } }
      const trouble = podTrouble({
        metadata: { name: 'web-1' },
        status: { containerStatuses: [{ name: 'app', state }] },
      })
      expect(trouble?.reason).to.equal('ContainerConfig')
      expect(trouble?.message).to.include('numeric user other than 0').and.include('docs/guides/confinement.md')
    })
})
