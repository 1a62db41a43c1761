/** Which variables of a service a build gets, and how Dockerfiles that svc writes hand them to their steps. */
import { expect } from 'chai'
import { generatedDockerfiles, standardBases } from '../../../kinds/builds/dockerfiles.ts'
import { buildVariablesOf } from '../../../kinds/builds/variables.ts'

describe('the variables of a build', () => {
  const service = {
    configData: { COLOUR: 'green', SHADOWED: 'plain', UNASKED: 'stays out' },
    env: [{ name: 'REGION', value: 'eu' }, { name: 'DATABASE_URL' }],
  }
  const frozen = { NPM_TOKEN: 'secret', SHADOWED: 'secret', OTHER: 'stays out' }

  it('are those that are named, the secret ones apart, as copies would have them', () =>
    expect(buildVariablesOf(['COLOUR', 'REGION', 'NPM_TOKEN', 'SHADOWED'], service, frozen)).to.deep.equal({
      args: { COLOUR: 'green', REGION: 'eu' },
      secrets: { NPM_TOKEN: 'secret', SHADOWED: 'secret' },
    }))

  it('are refused by name where they are not there, or refer to a database', () =>
    expect(buildVariablesOf(['COLOUR', 'DATABASE_URL', 'NONE'], service, frozen)).to.equal(
      'the build asks for DATABASE_URL, NONE, and the service has no plain or secret variable of that name',
    ))

  it('are none that every object has', () => {
    const names = ['constructor', 'toString', '__proto__']
    expect(buildVariablesOf(names, service, frozen)).to.equal(
      'the build asks for constructor, toString, __proto__, and the service has no plain or secret variable of that name',
    )
    const configData = Object.fromEntries([['__proto__', 'plain']])
    const found = buildVariablesOf(['__proto__'], { ...service, configData }, frozen)
    expect(typeof found === 'string' ? found : Object.entries(found.args)).to.deep.equal([['__proto__', 'plain']])
  })

  it('are in the environment of every step of a written Dockerfile, the secret ones as mounts', () => {
    const written = generatedDockerfiles(standardBases, 8080, { args: ['COLOUR'], secrets: ['NPM_TOKEN', 'OTHER'] })
    const mounts = '--mount=type=secret,id=NPM_TOKEN,env=NPM_TOKEN --mount=type=secret,id=OTHER,env=OTHER '
    for (const kind of ['node', 'bun', 'python', 'go'] as const) {
      const lines = written[kind].split('\n')
      expect(lines[1], kind).to.equal('ARG COLOUR')
      const steps = lines.filter((line) => line.startsWith('RUN '))
      expect(steps.length, kind).to.be.greaterThan(0)
      for (const step of steps) expect(step).to.match(new RegExp(`^RUN ${mounts}\\S`))
    }
  })

  it('leave a written Dockerfile as it is where there are none', () =>
    expect(generatedDockerfiles(standardBases, 8080, { args: [], secrets: [] }).go).to.match(
      /AS build\nWORKDIR \/app\nCOPY \. \.\nRUN CGO_ENABLED=0 go build/,
    ))
})
