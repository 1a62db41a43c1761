/** The state of a service over HTTP as its deployments leave it: its status, retries of what failed, and metrics. */
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { useServices } from './services-world.ts'

describe('Deployments of a service', () => {
  const { world, post, get, patch, create, deployed, record, observe } = useServices()

  it('POST /apps/{name}/retry-provision retries a failed deploy only', async () => {
    const name = await deployed()
    expect((await post(`/apps/${name}/retry-provision`)).body.error).to.equal(
      'only a failed deploy can be retried; this service is pending',
    )
    const ready = {
      type: 'Ready',
      status: 'False',
      reason: 'CrashLoop',
      message: 'container app keeps exiting',
      lastTransitionTime: new Date().toISOString(),
    }
    await observe(name, {
      conditions: [ready],
      lastAttempt: {
        id: viewOf(await record(name)).attempt?.record,
        phase: 'Failed',
        errors: ['container app keeps exiting'],
      },
    })
    expect((await get(`/apps/${name}/status`)).body).to.include({
      state: 'failed',
      message: 'container app keeps exiting',
    })
    expect((await post(`/apps/${name}/retry-provision`)).body).to.deep.equal({ ok: true })
    expect((await record(name)).metadata.annotations?.[annotations.retry]).to.match(/^[0-9a-f]{12}$/)
    expect((await get(`/apps/${name}/status`)).body.state).to.equal('pending')
    expect(world.api.woken).to.include(`app/${name}: retry requested`)
  })

  it('GET /apps/{name}/status is ready only when the work on what was asked has ended', async () => {
    const name = await deployed()
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '1 of 1 copies ready',
      lastTransitionTime: new Date().toISOString(),
    }
    await observe(name, {
      conditions: [ready],
      lastAttempt: {
        id: viewOf(await record(name)).attempt?.record,
        phase: 'Succeeded',
        startedAt: new Date().toISOString(),
      },
    })
    expect((await get(`/apps/${name}/status`)).body).to.deep.include({ state: 'ready', ready: true, pendingChanges: 0 })
    await post(`/apps/${name}/deploy`)
    const { body } = await get(`/apps/${name}/status`)
    expect(body).to.deep.include({ state: 'pending', ready: false })
    expect(body.lastAttempt.phase).to.equal('Running')
  })

  it('GET /apps/{name}/status shows sleep-when-idle as set and as observed, and the attempt with its errors', async () => {
    const name = await create({ deploy: true, scaleToZero: 'on', idleSeconds: 90 })
    const read = async () => (await get(`/apps/${name}/status`)).body
    expect((await read()).scaleToZero).to.deep.equal({ idleSeconds: 90, maxReplicas: 1 })
    const errors = ['web keeps exiting']
    const lastAttempt = {
      id: viewOf(await record(name)).attempt?.record,
      phase: 'Failed',
      startedAt: '2026-01-01T00:00:00Z',
      completedAt: '2026-01-01T00:01:00Z',
      summary: 'it exits',
      errors,
    }
    await observe(name, { scaleToZero: { active: false, message: 'no add-on' }, sleeping: true, lastAttempt })
    const seen = await read()
    expect(seen).to.deep.include({
      sleeping: true,
      lastAttempt,
      scaleToZero: { idleSeconds: 90, maxReplicas: 1, active: false, message: 'no add-on' },
    })
    const details = async () => (await get(`/apps/${name}`)).body.resource.details
    expect(await details()).to.have.property('sleeping', true)
    await patch(name, { scaleToZero: 'off' })
    expect(await details()).to.not.have.property('sleeping')
    expect(await read()).to.not.have.any.keys('sleeping', 'scaleToZero')
    expect(await (await get(`/apps/${await create()}/status`)).body).to.not.have.any.keys(
      'sleeping',
      'scaleToZero',
      'build',
      'lastAttempt',
    )
  })

  it('GET /apps/{name}/metrics is honest about a missing metrics store', async () => {
    const name = await deployed()
    expect((await get(`/apps/${name}/metrics?window=1h`)).body).to.deep.equal({
      window: '1h',
      step: 60,
      available: false,
      message: 'no metrics store is configured',
      series: { cpu: [], memory: [], network: [], networkIn: [], requests: [] },
    })
  })
})
