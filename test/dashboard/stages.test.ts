/** What the page says of a build, out of the log of its deploy. */
import { expect } from 'chai'
import { stagesOf } from '../../dashboard/apps/builds/stages.ts'

const at = (second: number): string => `2026-11-23T10:00:0${second}Z`
const built = [
  { at: at(0), text: 'accepted: First deploy (deploy by admin)' },
  { at: at(1), text: 'build web-1: waiting for a pod' },
  { at: at(2), text: 'build web-1: fetching the repository' },
  { at: at(4), text: 'build web-1: building' },
]
const clone = { id: 'clone', title: 'Clone', lines: ['commit 4b825dc'] }
const buildkit = [
  '#1 [internal] load build definition from Dockerfile',
  '#1 DONE 0.1s',
  '#2 [1/2] FROM docker.io/library/node:22',
  '#2 CACHED',
  '#3 [2/2] RUN npm ci',
  '#3 1.2 added 12 packages',
]

describe('the stages of a build', () => {
  it('are none for a deploy without one', () => {
    const steps = [{ at: at(0), text: 'accepted: First deploy (deploy by admin)' }]
    expect(stagesOf([{ id: 'deploy', title: 'Deploy', lines: [] }], steps)).to.deep.equal([])
  })

  it('are known while it goes on, the last one without an end', () => {
    const [first, second, ...rest] = stagesOf([], built)
    expect(first).to.deep.include({ id: 'clone', state: 'ready', from: at(2), to: at(4) })
    expect(second).to.deep.include({ id: 'build', state: 'pending', from: at(4) })
    expect(second).not.to.have.property('to')
    expect(rest).to.deep.equal([])
  })

  it('have the steps of BuildKit with state, duration and lines', () => {
    const lines = [...buildkit, '#4 exporting to image', '#3 ...', '#3 2.0 done', '#3 DONE 2.1s', 'pushed it']
    const steps = [...built, { at: at(6), text: 'image web is sha256:ab (of build web-1)' }]
    const [, build] = stagesOf([clone, { id: 'build', title: 'Build', lines }], steps)
    expect(build).to.deep.include({ state: 'ready', from: at(4), to: at(6), lines: ['pushed it'] })
    expect(build?.steps.map(({ title, state, seconds }) => [title, state, seconds])).to.deep.equal([
      ['[internal] load build definition from Dockerfile', 'ready', 0.1],
      ['[1/2] FROM docker.io/library/node:22', 'cached', undefined],
      ['[2/2] RUN npm ci', 'ready', 2.1],
      ['exporting to image', 'stopped', undefined],
    ])
    expect(build?.steps[2]?.lines).to.deep.equal(['1.2 added 12 packages', '2.0 done'])
  })

  it('say where it failed', () => {
    const lines = [...buildkit, '#3 ERROR: process "/bin/sh -c npm ci" did not complete', '------']
    const steps = [...built, { at: at(6), text: 'Failed: the build failed: npm ci' }]
    const found = stagesOf([clone, { id: 'build', title: 'Build', lines }], steps)
    expect(found.map(({ id, state }) => [id, state])).to.deep.equal([
      ['clone', 'ready'],
      ['build', 'failed'],
    ])
    expect(found[1]?.steps.at(-1)).to.deep.include({ title: '[2/2] RUN npm ci', state: 'failed' })
  })

  it('take the push as the last one where the log has it', () => {
    const push = { id: 'push', title: 'Push', lines: ['#9 pushing layers'] }
    const steps = [...built, { at: at(6), text: 'Succeeded: 1 of 1 copies ready' }]
    expect(stagesOf([push, clone], steps).map(({ id, state }) => [id, state])).to.deep.equal([
      ['clone', 'ready'],
      ['build', 'ready'],
      ['push', 'ready'],
    ])
  })
})
