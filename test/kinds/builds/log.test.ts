/** The sections of the log of a build: what BuildKit writes of its steps, and of the push of the image. */
import { expect } from 'chai'
import { type BuildLog, sectionsOf } from '../../../kinds/builds/log.ts'

const stamped = (lines: readonly string[]) => lines.map((line, second) => `2026-11-24T10:00:${10 + second}Z ${line}`)
const clone = ['fetching refs/heads/main of https://git.example.test/web', 'commit 4b825dc']
const build = [
  '#1 [internal] load build definition from Dockerfile',
  '#1 DONE 0.0s',
  '',
  '#5 [1/2] FROM docker.io/library/busybox',
  '#6 [2/2] RUN make',
  '#6 0.100 #9 exporting to image, says the Makefile',
  '#6 DONE 1.0s',
]
const push = [
  '#7 exporting to image',
  '#7 exporting layers done',
  '#8 [auth] svc/builds:pull,push token for registry.example.test',
  '#8 DONE 0.0s',
  '#7 pushing layers 0.1s done',
  '#7 DONE 0.3s',
  '',
  '#9 exporting cache to registry',
  '#9 DONE 0.1s',
  'pushed registry.example.test/svc/builds:web-4b825dc@sha256:00',
]

describe('the sections of the log of a build', () => {
  const sections = (log: BuildLog) => sectionsOf(log).map(({ id, lines }) => [id, lines])

  it('are those of the clone, the steps, and the push', () =>
    expect(sections({ clone: stamped(clone), build: stamped([...build, ...push]) })).to.deep.equal([
      ['clone', clone],
      ['build', build],
      ['push', push],
    ]))

  it('are those of the phases of buildpacks', () => {
    const phases = ['===> DETECTING', 'acme/ruby 1.0', '===> BUILDING', '#7 exporting, says a buildpack', 'done']
    const exported = ['===> EXPORTING', "Adding layer 'acme/ruby:gems'", push.at(-1) ?? '']
    expect(sections({ build: stamped([...phases, ...exported]) })).to.deep.equal([
      ['build', phases],
      ['push', exported],
    ])
  })

  it('are separated also in the middle of a log, and where the lines of two steps are mixed', () => {
    const lines = ['#7 pushing layers 0.1s', '#6 0.300 still here', '#7 DONE 0.3s']
    expect(sections({ build: stamped(lines) })).to.deep.equal([
      ['build', [lines[1]]],
      ['push', [lines[0], lines[2]]],
    ])
  })

  it('have what a failed push ends with, and leave out what has no line', () => {
    const failed = ['#7 exporting to image', '#7 ERROR: failed to push', '------', ' > exporting to image:', '------']
    expect(sections({ clone: [], build: stamped(failed) })).to.deep.equal([['push', failed]])
  })
})
