/** What a project asks for next. */
import { expect } from 'chai'
import { apiVersion } from '../../../kinds/meta/group.ts'
import { planOfProject, projectIntent, projectState } from '../../../kinds/projects/intent.ts'
import { type Project, projectSpec } from '../../../kinds/projects/kind.ts'

const ready = [
  { type: 'Ready', status: 'True' as const, reason: 'Ready', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
]
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
})
