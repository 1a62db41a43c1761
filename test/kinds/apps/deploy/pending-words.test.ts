/** Pending changes as a table: what an edit leaves in the record, and which spec is effective. */
import { expect } from 'chai'
import { annotations } from '../../../../kinds/meta/annotations.ts'
import { withSpec } from '../../../../kinds/apps/spec/draft.ts'
import { withSettings } from '../../../../kinds/apps/spec/settings.ts'
import { viewOf } from '../../../../kinds/apps/view.ts'
import { pendingChangesOf } from '../../../../kinds/provision/draft.ts'
import { appSpec, type App, type AppSpec } from '../../../../kinds/apps/kind.ts'
import { pendingWords } from '../../../../kinds/apps/deploy/pending-words.ts'

const base = appSpec.parse({
  project: 'proj-00000001',
  environment: 'production',
  source: { image: { image: 'a:1' } },
  deploy: { enabled: true },
})
const running = (notes: Record<string, string> = {}, spec: AppSpec = base): App => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcApp',
  metadata: { name: 'web', uid: 'u', annotations: notes },
  spec,
})
const image = (name: string): AppSpec => ({ ...base, source: { image: { image: name } } })

describe('Pending changes', () => {
  const edits: [string, AppSpec, string[]][] = [
    ['the image', image('a:2'), ['settings']],
    ['the port', { ...base, port: 9000 }, ['settings']],
    ['a plain variable', { ...base, configData: { A: '1' } }, ['variables']],
    ['a reference', { ...base, env: [{ name: 'A', value: '1' }] }, ['variables']],
    ['a chosen shared variable', { ...base, sharedVariableRefs: ['A'] }, ['variables']],
    ['image and variable', { ...image('a:2'), configData: { A: '1' } }, ['settings', 'variables']],
    ['the replicas', { ...base, replicas: 5 }, []],
    ['the host', { ...base, ingress: { ...base.ingress, host: 'a.example.com' } }, []],
    ['metrics', { ...base, metrics: { ...base.metrics, enabled: true } }, []],
    ['the cache of builds, off', { ...base, build: { cache: false } }, ['settings']],
    ['the cache of builds, on as by default', { ...base, build: { cache: true } }, []],
    ['a command', { ...base, build: { cache: true, command: ['node'] } }, ['settings']],
    ['leave to run as root', { ...base, runAsRoot: true }, ['settings']],
    ['no leave to run as root, as by default', { ...base, runAsRoot: false }, []],
    ['nothing', base, []],
  ]
  for (const [what, spec, words] of edits) {
    it(`of ${what}: ${words.join(',') || 'none'}`, () => {
      const edited = withSpec(running({ [annotations.lastDeployed]: JSON.stringify(base) }), spec)
      expect(pendingChangesOf(edited)).to.deep.equal(words)
    })
  }

  it('the first edit pins the spec that runs, and asks for no work', () => {
    const before = running()
    const edited = withSpec(before, image('a:2'))
    expect(viewOf(edited).lastDeployed).to.deep.equal(base)
    expect(viewOf(edited).effectiveSpec).to.deep.equal(base)
    expect(viewOf(edited).intent).to.equal(viewOf(before).intent)
  })

  it('an edit that restores the deployed spec clears the pending changes', () => {
    const edited = withSpec(running({ [annotations.lastDeployed]: JSON.stringify(base) }), image('a:2'))
    expect(withSpec(edited, base).metadata.annotations).not.to.have.property(annotations.pendingChanges)
  })

  it('a command that is set and taken back clears its word', () => {
    const edited = withSpec(running(), withSettings(base, { command: ['node'] }))
    expect(pendingChangesOf(edited)).to.deep.equal(['settings'])
    const back = withSpec(edited, withSettings(edited.spec, { command: [] }))
    expect(pendingChangesOf(back)).to.deep.equal([])
    expect(back.spec).not.to.have.property('build')
  })

  it('runAsRoot off where it was not on changes nothing, and asks for no work', () => {
    const before = running()
    const edited = withSpec(before, withSettings(base, { runAsRoot: false }))
    expect(edited.spec).to.deep.equal(before.spec)
    expect(viewOf(edited).intent).to.equal(viewOf(before).intent)
  })

  it('a live setting in the middle of a pending edit changes what runs and nothing else', () => {
    const edited = withSpec(running(), image('a:2'))
    const scaled = withSpec(edited, { ...edited.spec, replicas: 4 })
    expect(viewOf(scaled).effectiveSpec).to.deep.include({ replicas: 4, source: { image: { image: 'a:1' } } })
    expect(pendingChangesOf(scaled)).to.deep.equal(['settings'])
    expect(viewOf(scaled).intent).not.to.equal(viewOf(edited).intent)
  })

  it('a draft stays created, and counts variables apart from settings', () => {
    const draft = running(
      { [annotations.pendingChanges]: 'created' },
      { ...base, deploy: { ...base.deploy, enabled: false } },
    )
    expect(pendingChangesOf(withSpec(draft, { ...draft.spec, port: 1 }))).to.deep.equal(['created'])
    const withVariable = withSpec(draft, { ...draft.spec, configData: { A: '1' } })
    expect(pendingChangesOf(withVariable)).to.deep.equal(['created', 'variables'])
    expect(withVariable.metadata.annotations).not.to.have.property(annotations.lastDeployed)
  })

  it('secrets count while their mark stands', () => {
    const marked = withSpec(running(), base, 'done 1')
    expect(pendingChangesOf(marked)).to.deep.equal(['variables'])
    expect(pendingWords(marked)).to.include({
      title: 'Changes to deploy',
      detail: 'Changed variables take effect with the next deploy.',
    })
    expect(pendingChangesOf(withSpec(marked, { ...base, replicas: 2 }))).to.deep.equal(['variables'])
  })
})
