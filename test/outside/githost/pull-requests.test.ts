/** Pull requests and the one comment of svc on them, at a stand-in of GitHub that checks the app's tokens. */
import { expect } from 'chai'
import { gitHostSettings } from '../../../outside/githost/addresses.ts'
import { createPullRequestHost, type PullRequestHost } from '../../../outside/githost/pull-requests.ts'
import { UpstreamError } from '../../../outside/upstream-error.ts'
import { githubApp, type GitHubServer, startGitHub } from '../../harness/github.ts'

const [repository, commit] = ['acme/shop', 'a'.repeat(40)]
const at = { installation: 71, repository, number: 7 }
const app = { ...githubApp }

describe('pull requests at the git host', () => {
  let github: GitHubServer
  let host: PullRequestHost

  beforeEach(async () => {
    github = await startGitHub()
    github.repositories.set(at.installation, [repository])
    host = createPullRequestHost(gitHostSettings({ SVC_GITHUB_URL: github.url, SVC_GITHUB_API_URL: github.url }))
  })
  afterEach(() => github.stop())

  it('are read with their commit, and as a fork where the commits come from elsewhere', async () => {
    github.pulls.set(`${repository}#7`, { state: 'open', commit, from: 'Acme/Shop' })
    expect(await host.read(app, at)).to.deep.equal({ number: 7, isOpen: true, commit, isFork: false })
    for (const from of ['somebody/shop', null]) {
      github.pulls.set(`${repository}#7`, { state: 'closed', commit, from })
      expect(await host.read(app, at)).to.deep.equal({ number: 7, isOpen: false, commit, isFork: true })
    }
    expect(await host.read(app, { ...at, number: 8 })).to.equal(undefined)
    expect(await host.read(app, { ...at, repository: 'acme/hidden' })).to.equal(undefined)
  })

  it('are listed while they are open, over several pages', async () => {
    for (let number = 1; number <= 130; number += 1)
      github.pulls.set(`${repository}#${number}`, {
        state: number % 2 === 0 ? 'open' : 'closed',
        commit,
        from: repository,
      })
    const open = await host.open(app, at)
    expect([open.size, open.has(130), open.has(1)]).to.deep.equal([65, true, false])
  })

  it('have one comment, which is edited when it says something else', async () => {
    const say = (text: string, isNew = true) => host.writeComment(app, at, { mark: '<!-- svc p -->', text, isNew })
    await say('quiet', false)
    expect(github.comments.size).to.equal(0)
    for (const text of ['one', 'one', 'two']) await say(text)
    expect(github.comments.get(`${repository}#7`)?.map(({ body }) => body)).to.deep.equal(['<!-- svc p -->\ntwo'])
    const written = github.calls.filter((call) => !call.startsWith('GET'))
    expect(written.map((call) => call.split(' ')[0])).to.deep.equal(['POST', 'POST', 'PATCH'])
    expect(written[0], 'one token for all of them').to.match(/access_tokens$/)
  })

  it('keep the comment of another author with the same mark', async () => {
    const theirs = { id: 1, login: 'somebody', body: '<!-- svc p -->\nclick here' }
    github.comments.set(`${repository}#7`, [theirs])
    await host.writeComment(app, at, { mark: '<!-- svc p -->', text: 'ours', isNew: true })
    expect(github.comments.get(`${repository}#7`)?.map(({ login }) => login)).to.deep.equal([
      'somebody',
      'svc-acme[bot]',
    ])
    expect(theirs.body).to.equal('<!-- svc p -->\nclick here')
  })

  it('say what went wrong without a token, and whether it passes', async () => {
    for (const [status, passing] of [
      [503, true],
      [403, false],
    ] as const) {
      github.refuseWith = status
      const error = await host.read(app, at).then(
        () => undefined,
        (caught: unknown) => caught,
      )
      expect(error).to.be.instanceOf(UpstreamError)
      if (error instanceof UpstreamError) expect([error.status, error.passing]).to.deep.equal([status, passing])
      for (const token of github.tokens) expect(String(error)).not.to.contain(token)
    }
  })
})
