/** What each kind of run is about. */
import { expect } from 'chai'
import { runKinds } from '../../contract/runs/words.ts'
import { serviceOf, subjectOf } from '../../dashboard/runs/subject.ts'

describe('the subject of a run', () => {
  const of = (workflow: string, resource: string, action = '') =>
    subjectOf({ kind: workflow.split('/')[0] ?? '', workflow, resource, action })

  it('is the record that it works on, and the service of a planned call', () => {
    expect(of('database/orders', 'orders')).to.deep.equal({ of: 'database', name: 'orders' })
    expect(of('function/hello/nightly/2026-11-28', 'hello/nightly')).to.deep.equal({ of: 'app', name: 'hello' })
  })

  it('is what the event of a delivery is about', () => {
    const delivered = (event: string, resource: string) => of(`webhook/w1/x/${event}`, resource, event)
    expect(delivered('deployment.failed', 'web')).to.deep.equal({ of: 'app', name: 'web' })
    expect(delivered('backup.failed', 'orders')).to.deep.equal({ of: 'database', name: 'orders' })
  })

  it('is the service of a push to its own repository and of a report, else the git host', () => {
    expect(of('githost/push/site/d1', 'site')).to.deep.equal({ of: 'app', name: 'site' })
    expect(of('githost/report/site-pbaa7', 'site')).to.deep.equal({ of: 'app', name: 'site' })
    expect(of('githost/d1', 'shop/site')).to.deep.equal({ of: 'settings', section: 'githost' })
  })

  it('is the pull requests of the project of one', () => {
    const project = 'proj-0123abcd'
    expect(of(`pr/${project}/shop/site/7`, `${project}/shop/site/7`)).to.deep.equal({ of: 'pull-requests', project })
  })

  it('is known of every kind', () => {
    for (const kind of runKinds) expect(of(`${kind}/a/b`, 'a'), kind).not.to.equal(undefined)
    expect(of('other/a', 'a')).to.equal(undefined)
  })

  it('of a build is found among the services by its name, tried again or not', () => {
    expect(serviceOf('site-pbaa7', ['web', 'site'])).to.equal('site')
    expect(serviceOf('site-pbaa7-0a1b2', ['web', 'site'])).to.equal('site')
    expect(serviceOf('calm-otter-pbaa7', ['calm', 'calm-otter'])).to.equal('calm-otter')
    expect(serviceOf('site-pbaa7', ['web'])).to.equal(undefined)
  })
})
