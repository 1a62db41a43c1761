/** The owner of a Secret by its labels alone: the rule as a table. */
import { expect } from 'chai'
import {
  isCloudKeysOf,
  isHandMadeFor,
  isLeftBy,
  isMadeFor,
  isPlatformSetting,
  type SecretRule,
} from '../../../kinds/secrets/named-secret.ts'

const managed = { 'svc.dev/managed-by': 'svc' }
const own = { ...managed, 'svc.dev/owner': 'uid-1' }

const variables = isMadeFor('uid-1', 'app-secrets')
const left = isLeftBy('web', 'app-secrets')
const byHand = isHandMadeFor('proj-1')
const keys = isCloudKeysOf('proj-1')

const rows: [string, SecretRule, Record<string, string> | undefined, boolean][] = [
  ['made for the record and the use', variables, { ...own, 'svc.dev/purpose': 'app-secrets' }, true],
  ['made for the record by an earlier release, without a purpose', variables, own, true],
  ['made for the record and another use', variables, { ...own, 'svc.dev/purpose': 'release' }, false],
  ['made for another record', variables, { ...own, 'svc.dev/owner': 'uid-2', 'svc.dev/purpose': 'app-secrets' }, false],
  ['without an owner', variables, { ...managed, 'svc.dev/purpose': 'app-secrets' }, false],
  ['without labels', variables, undefined, false],
  ['asked for a record that has no uid', isMadeFor(undefined, 'release'), { 'svc.dev/purpose': 'release' }, false],
  ['asked for an empty uid', isMadeFor('', 'release'), { 'svc.dev/owner': '', 'svc.dev/purpose': 'release' }, false],
  [
    'left by an earlier service of the name',
    left,
    { ...own, 'svc.dev/owner': 'uid-0', 'svc.dev/app': 'web', 'svc.dev/purpose': 'app-secrets' },
    true,
  ],
  [
    'left by a service of another name',
    left,
    { ...own, 'svc.dev/app': 'shop', 'svc.dev/purpose': 'app-secrets' },
    false,
  ],
  ['left for another use', left, { ...own, 'svc.dev/app': 'web', 'svc.dev/purpose': 'release' }, false],
  ['labelled like one that was left, and not by svc', left, { 'svc.dev/app': 'web' }, false],
  ['made by hand for the project', byHand, { 'svc.dev/project': 'proj-1', team: 'shop' }, true],
  [
    'made by hand for an environment of it',
    byHand,
    { 'svc.dev/project': 'proj-1', 'svc.dev/environment': 'staging' },
    true,
  ],
  ['made by hand for another project', byHand, { 'svc.dev/project': 'proj-2' }, false],
  ['made by hand for no project', byHand, { team: 'shop' }, false],
  ['asked for no project', isHandMadeFor(''), { 'svc.dev/project': '' }, false],
  ['made by svc for the project', byHand, { ...managed, 'svc.dev/project': 'proj-1' }, false],
  ['a token of the project', byHand, { 'svc.dev/project': 'proj-1', 'svc.dev/auth': 'token' }, false],
  [
    'cloud keys as something made by hand',
    byHand,
    { 'svc.dev/project': 'proj-1', 'svc.dev/purpose': 'cloud-credentials' },
    false,
  ],
  [
    'cloud keys of the project',
    keys,
    { ...managed, 'svc.dev/project': 'proj-1', 'svc.dev/purpose': 'cloud-credentials' },
    true,
  ],
  ['cloud keys of an earlier release', keys, { ...managed, 'svc.dev/project': 'proj-1' }, true],
  [
    'cloud keys of another project',
    keys,
    { ...managed, 'svc.dev/project': 'proj-2', 'svc.dev/purpose': 'cloud-credentials' },
    false,
  ],
  ['a token as cloud keys', keys, { ...managed, 'svc.dev/project': 'proj-1', 'svc.dev/auth': 'token' }, false],
  [
    'shared values as cloud keys',
    keys,
    { ...own, 'svc.dev/project': 'proj-1', 'svc.dev/purpose': 'shared-variables' },
    false,
  ],
  ['a setting of the platform', isPlatformSetting, { 'svc.dev/purpose': 'platform-setting' }, true],
  ['anything else as a setting of the platform', isPlatformSetting, { 'svc.dev/purpose': 'release' }, false],
]

describe('a Secret that a record names', () => {
  for (const [what, rule, labels, expected] of rows) {
    it(`${what} ${expected ? 'is used' : 'is none'}`, () => {
      expect(rule({ metadata: labels === undefined ? {} : { labels } })).to.equal(expected)
    })
  }
})
