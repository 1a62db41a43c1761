/** The precedence of address, token, project and environment: flag, then environment variable, then saved login. */
import { expect } from 'chai'
import type { Config } from '../../../cli/session/config-file.ts'
import { resolveTarget, type GlobalFlags, type Target } from '../../../cli/session/target.ts'

const prod = { url: 'https://svc.example.com', token: 'svw_prod', project: 'proj-aaaaaaaa', environment: 'production' }
const local = { url: 'http://127.0.0.1:8085', token: 'svw_local' }
const saved: Config = { currentContext: 'prod', contexts: { prod, local } }

const cases: [string, GlobalFlags, Record<string, string>, Target][] = [
  ['the saved login, when nothing else is said', {}, {}, { context: 'prod', ...prod }],
  [
    'a variable before the saved login',
    {},
    { SVC_TOKEN: 'svw_env', SVC_PROJECT: 'p', SVC_ENVIRONMENT: 'e' },
    { context: 'prod', url: prod.url, token: 'svw_env', project: 'p', environment: 'e' },
  ],
  [
    'a flag before a variable',
    { token: 'svw_flag', project: 'f' },
    { SVC_TOKEN: 'svw_env', SVC_PROJECT: 'p' },
    { context: 'prod', ...prod, token: 'svw_flag', project: 'f' },
  ],
  ['an empty variable counts as none', {}, { SVC_URL: '', SVC_TOKEN: '' }, { context: 'prod', ...prod }],
  ['the named context', { context: 'local' }, { SVC_CONTEXT: 'prod' }, { context: 'local', ...local }],
  ['the context of the variable', {}, { SVC_CONTEXT: 'local' }, { context: 'local', ...local }],
  [
    'no saved token for another address',
    { url: 'https://other.example.com' },
    {},
    { url: 'https://other.example.com' },
  ],
  [
    'no saved token for another address of a variable',
    {},
    { SVC_URL: 'https://svc.example.com:8443' },
    { url: 'https://svc.example.com:8443' },
  ],
  [
    'no saved token for the same host without encryption',
    { url: 'http://svc.example.com' },
    {},
    { url: 'http://svc.example.com' },
  ],
  [
    'no saved token for another path',
    { url: 'https://svc.example.com/other' },
    {},
    { url: 'https://svc.example.com/other' },
  ],
  [
    'the saved token for the same address in other words',
    { url: 'https://SVC.example.com:443/' },
    {},
    { context: 'prod', ...prod },
  ],
  ['the login of the address that is given', { url: local.url }, {}, { context: 'local', ...local }],
  ['no token of a named context for another address', { context: 'local', url: prod.url }, {}, { url: prod.url }],
  [
    'a given token goes to the given address',
    { url: 'https://other.example.com', token: 'svw_flag' },
    {},
    { url: 'https://other.example.com', token: 'svw_flag' },
  ],
]

describe('settings', () => {
  for (const [name, flags, env, wanted] of cases) {
    it(`use ${name}`, () => expect(resolveTarget(flags, env, saved)).to.deep.equal(wanted))
  }
  const variables = {
    url: 'SVC_URL',
    token: 'SVC_TOKEN',
    project: 'SVC_PROJECT',
    environment: 'SVC_ENVIRONMENT',
  } as const
  for (const [setting, variable] of Object.entries(variables) as [keyof typeof variables, string][])
    it(`take the ${setting} from the flag, else from ${variable}, else from the saved login`, () => {
      const [flag, env] = setting === 'url' ? ['https://flag.example.com', 'https://env.example.com'] : ['flag', 'env']
      const of = (flags: GlobalFlags, given: Record<string, string>) => resolveTarget(flags, given, saved)[setting]
      expect(of({ [setting]: flag }, { [variable]: env })).to.equal(flag)
      expect(of({}, { [variable]: env })).to.equal(env)
      expect(of({}, {})).to.equal(prod[setting])
    })
  it('are empty where nothing is saved or said', () => {
    expect(resolveTarget({}, {}, { contexts: {} })).to.deep.equal({})
  })
  it('refuse a context that is not saved', () => {
    expect(() => resolveTarget({ context: 'nope' }, {}, saved)).to.throw('no saved context is called nope')
  })
})
