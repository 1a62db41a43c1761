/** What a project asks for next. */
import { expect } from 'chai'
import { apiVersion } from '../../../kinds/meta/group.ts'
import { planOfProject, projectIntent, projectState } from '../../../kinds/projects/intent.ts'
import { type Project, projectSpec } from '../../../kinds/projects/kind.ts'

const at = '2026-01-01T00:00:00Z'
const condition = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: at } as const
const ready = [condition]
const project: Project = {
  apiVersion,
  kind: 'SvcProject',
  metadata: { name: 'proj-00000001', uid: 'u1' },
  spec: projectSpec.parse({ displayName: 'Shop', environments: ['production'] }),
}
const intent = projectIntent(project)

describe('the next action of a project', () => {
  for (const [what, status, story, state] of [
    ['that is new', {}, 'settle', 'pending'],
    ['that is set up', { observedIntent: intent, acceptedIntent: intent }, 'rest', 'ready'],
    ['that a former release set up', { observedIntent: intent }, 'rest', 'ready'],
    [
      'whose change was taken back while it was carried out',
      { observedIntent: intent, acceptedIntent: 'other' },
      'settle',
      'pending',
    ],
  ] as const)
    it(`of one ${what}: ${story}`, () => {
      const record = { ...project, status: { ...status, conditions: ready } }
      expect([planOfProject(record).story, projectState(record).state]).to.deep.equal([story, state])
    })
  it('is not announced by the message of the ready before it', () => {
    const set = { ...condition, message: 'Project environments are ready' } as const
    const record = { ...project, status: { observedIntent: 'before', conditions: [set] } }
    expect(projectState(record)).to.deep.equal({ state: 'pending', message: 'waiting to be set up' })
    const failing = { ...set, status: 'False', message: 'not yet' } as const
    expect(projectState({ ...record, status: { ...record.status, conditions: [failing] } }).message).to.equal('not yet')
  })
})
