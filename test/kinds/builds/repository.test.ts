/** Which repositories, branches and paths are taken, and the address that git is given. */
import { expect } from 'chai'
import { cloneAddress, isBranchName, isInside, placeOf } from '../../../kinds/builds/repository.ts'

describe('the repository of a service', () => {
  const addresses: [repository: string, address: string | undefined][] = [
    ['acme/web', 'https://github.com/acme/web.git'],
    ['acme/web.git', 'https://github.com/acme/web.git'],
    ['https://git.example.test/team/web.git', 'https://git.example.test/team/web.git'],
    ['http://127.0.0.1:3000/team/web', 'http://127.0.0.1:3000/team/web'],
    ['git@git.example.test:team/web.git', 'git@git.example.test:team/web.git'],
    ['ssh://git@git.example.test:2222/team/web.git', 'ssh://git@git.example.test:2222/team/web.git'],
    ['https://maria:secret@git.example.test/web.git', undefined],
    ['https://git.example.test/web.git?token=x', undefined],
    ['file:///etc', undefined],
    ['ext::sh -c id', undefined],
    ['/srv/git/web', undefined],
    ['--upload-pack=id', undefined],
    ['../web', undefined],
    ['', undefined],
  ]
  for (const [repository, address] of addresses)
    it(`${JSON.stringify(repository)} is cloned from ${address ?? 'nowhere'}`, () =>
      expect(cloneAddress(repository, 'https://github.com')).to.equal(address))

  it('is one of the git host of the install where it is owner/name', () =>
    expect(cloneAddress('acme/web', 'https://git.example.test')).to.equal('https://git.example.test/acme/web.git'))

  const places: [repository: string, place: string | undefined][] = [
    ['acme/web', 'github.com/acme/web'],
    ['https://GitHub.com/acme/web.git', 'github.com/acme/web'],
    ['https://github.com/acme/web/', 'github.com/acme/web'],
    ['git@github.com:acme/web.git', 'github.com/acme/web'],
    ['ssh://git@git.example.test:2222/team/web.git', 'git.example.test:2222/team/web'],
    ['https://git.example.test:8443/team/web', 'git.example.test:8443/team/web'],
    ['http://git.example.test/team/web', 'http://git.example.test/team/web'],
    ['https://github.com.example.test/acme/web', 'github.com.example.test/acme/web'],
    ['', undefined],
    ['https://github.com@example.test/acme/web', undefined],
  ]
  for (const [repository, place] of places)
    it(`${repository || 'of no name'} is ${place ?? 'nowhere'}`, () =>
      expect(placeOf(repository, 'https://github.com')).to.equal(place))

  const branches: [branch: string, valid: boolean][] = [
    ['main', true],
    ['feature/a-b.c', true],
    ['--upload-pack=id', false],
    ['a..b', false],
    ['a b', false],
    ['$(id)', false],
    ['refs/.hidden', false],
    ['x.lock', false],
  ]
  for (const [branch, valid] of branches)
    it(`${branch} is ${valid ? 'a' : 'no'} branch`, () => expect(isBranchName(branch)).to.equal(valid))

  for (const [path, inside] of [
    ['.', true],
    ['apps/web', true],
    ['../other', false],
    ['a/../../b', false],
    ['/etc', false],
    ['$(id)', false],
  ] as const)
    it(`${path} is ${inside ? '' : 'not '}inside of it`, () => expect(isInside(path)).to.equal(inside))
})
