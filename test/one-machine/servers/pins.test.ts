/** The checksums of downloads are those of the catalogue. */
import { expect } from 'chai'
import { catalogue } from '../../../one-machine/servers/catalogue.ts'
import { pins } from '../../../one-machine/servers/pins.ts'

describe('the checksums of the catalogue', () => {
  it('every download of the catalogue with a checksum of its own has one that can be one, and names its version', () => {
    for (const [url, sum] of Object.entries(pins)) {
      expect(sum, url).to.match(/^[0-9a-f]{64}$/)
      const versions = Object.values(catalogue).map((server) => server.version)
      expect(
        versions.some((each) => url.includes(`v${each}/`)),
        url,
      ).to.equal(true)
    }
    expect(new Set(Object.values(pins)).size).to.equal(Object.keys(pins).length)
    const offered = Object.values(catalogue).flatMap(({ download }) =>
      [
        ['linux', 'amd64'],
        ['linux', 'arm64'],
        ['darwin', 'amd64'],
        ['darwin', 'arm64'],
      ].map(([platform = '', arch = '']) => download?.(platform, arch)),
    )
    const used = offered.flatMap((each) => (each?.sha256 === undefined ? [] : [each.url]))
    expect(used.toSorted()).to.deep.equal(Object.keys(pins).toSorted())
  })
})
