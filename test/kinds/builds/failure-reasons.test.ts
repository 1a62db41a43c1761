/** The sentence for what BuildKit says last: each kind of failure has its own, and none is taken for another. */
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { outcomeOf } from '../../../kinds/builds/outcome.ts'
import { reasonFunction } from '../../../kinds/builds/scripts.ts'

const place = 'registry.example.test/svc'
const image = `${place}:web-4b825dc642cb`
const reason = (said: string): string =>
  execFileSync('sh', ['-c', `${reasonFunction}reason "$SAID"`], {
    env: { PATH: process.env['PATH'], DESTINATION: place, SAID: said },
    encoding: 'utf8',
  }).trim()

describe('why a build failed', () => {
  const rows: [what: string, said: string, sentence: string][] = [
    ['a step that fails', 'process "/bin/sh -c make" did not complete successfully: exit code: 2', ''],
    ['a Dockerfile that cannot be read', 'dockerfile parse error on line 2: unknown instruction: RUM', ''],
    ['a file that is not there', 'failed to compute cache key: "/app": not found', ''],
    [
      'a step without memory',
      'process "/bin/sh -c make" did not complete successfully: exit code: 137',
      'a step of the build was killed, most likely for want of memory',
    ],
    [
      'a step whose memory is refused',
      'process "/bin/sh -c make" did not complete successfully: cannot allocate memory',
      'a step of the build was killed, most likely for want of memory',
    ],
    [
      'a builder without memory',
      'rpc error: code = Unavailable desc = error reading from server: EOF',
      'the builder ended before the build had, most likely for want of memory',
    ],
    [
      'a full disk',
      'failed to copy files: copy file range failed: no space left on device',
      'the disk of the build is full',
    ],
    [
      'a full disk while it is pushed',
      `failed to push ${image}: write /work/buildkit/x: no space left on device`,
      'the disk of the build is full',
    ],
    [
      'a refused login of the registry',
      `failed to push ${image}: unexpected status from HEAD request to https://registry.example.test/v2/: 401 Unauthorized`,
      `the image could not be pushed to ${place}`,
    ],
    [
      'a login that may not push',
      `failed to push ${image}: push access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
      `the image could not be pushed to ${place}`,
    ],
    [
      'a token service that refuses',
      `failed to push ${image}: failed to authorize: failed to fetch oauth token: 401 Unauthorized`,
      `the image could not be pushed to ${place}`,
    ],
    [
      'a registry that is gone',
      `failed to push ${image}: failed to do request: Head "https://registry.example.test/v2/svc/blobs/x": dial tcp 192.0.2.1:443: connect: connection refused`,
      `the registry of ${place} does not answer`,
    ],
    [
      'a registry that goes in the middle',
      `failed to push ${image}: failed to copy: failed to do request: Put "https://registry.example.test/v2/": write: broken pipe`,
      `the registry of ${place} does not answer`,
    ],
    [
      'a registry that fails',
      `failed to push ${image}: unexpected status from POST request to https://registry.example.test/v2/: 503 Service Unavailable`,
      `the registry of ${place} does not answer`,
    ],
    [
      'a base image that is not there',
      'alpine:none: failed to resolve source metadata for docker.io/library/alpine:none: not found',
      'an image that the Dockerfile names cannot be fetched',
    ],
    [
      'a base image that needs a login',
      'acme/base: failed to resolve source metadata for docker.io/acme/base:latest: pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
      'an image that the Dockerfile names cannot be fetched',
    ],
  ]
  for (const [what, said, sentence] of rows)
    it(`${what} has its own sentence`, () =>
      expect(reason(said)).to.equal(sentence === '' ? said : `${sentence}: ${said}`))

  it('is said to be unknown where BuildKit said nothing', () => expect(reason('')).to.equal('no reason was given'))

  it('is memory where the node ended the container, whatever the script wrote', () => {
    const terminated = { exitCode: 137, reason: 'OOMKilled', message: 'half a sentence' }
    const status = { containerStatuses: [{ name: 'build', state: { terminated } }] }
    expect(outcomeOf({ metadata: {} }, { status }, 30)).to.deep.equal({
      state: 'failed',
      why: 'the build needed more memory than it may have',
    })
  })
})
