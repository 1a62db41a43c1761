/** The settings of buildpacks in the environment of a worker. */
import { expect } from 'chai'
import { builderSettings } from '../../temporal/settings/builder.ts'

describe('the settings of buildpacks', () => {
  const read = (env: Record<string, string>) => builderSettings(env).buildpacks
  const image = { SVC_BUILD_BUILDPACKS: 'acme/builder@sha256:00' }

  it('are none without a builder image', () => {
    expect(read({})).to.equal(undefined)
    expect(read({ SVC_BUILD_BUILDPACKS: '', SVC_BUILD_BUILDPACKS_USER: '1:1' })).to.equal(undefined)
  })

  it('name an image, and where it is needed its user and a run image', () => {
    expect(read(image)).to.deep.equal({ image: 'acme/builder@sha256:00', user: undefined, runImage: '' })
    const all = { ...image, SVC_BUILD_BUILDPACKS_USER: '1001:0', SVC_BUILD_BUILDPACKS_RUN_IMAGE: 'acme/run:1' }
    expect(read(all)).to.deep.include({ user: { runAsUser: 1001, runAsGroup: 0 }, runImage: 'acme/run:1' })
  })

  for (const user of ['root', '0:0', '1001', '1001:cnb', '01:1'])
    it(`refuse the user ${user} with a sentence`, () =>
      expect(() => read({ ...image, SVC_BUILD_BUILDPACKS_USER: user })).to.throw(
        /^SVC_BUILD_BUILDPACKS_USER must be two/,
      ))
})
