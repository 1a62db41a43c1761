/**
 * Settings of the platform: registry, domain, DNS provider and git-host app. Dashboard routes only; secrets are never
 * read back.
 */
import { z } from 'zod'
import { anyText, flag, withFieldOptions, list, matching, matchingOrEmpty, oneOf, text } from '../fields/fields.ts'
import { hostNameMax, keyTextMax, repositoryPathMax, zonesMax, objectNameMax, serverUsernameMax } from '../limits.ts'
import { noParams, okView, operation, type DashboardRoute } from '../operation.ts'
import { dnsLabel, domainName, httpsOrigin } from '../fields/patterns.ts'

const tag = 'Cluster'

const repositoryPattern = /^[a-z0-9][a-z0-9._-]*(:[0-9]{1,5})?(\/[a-z0-9][a-z0-9._-]*)*$/
const pemPattern = /^-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+-----END [A-Z ]*PRIVATE KEY-----$/

const host = (name: string) =>
  matchingOrEmpty(domainName, `${name} must be a lowercase host name with a dot, such as example.com`, hostNameMax)
const secret = (name: string, max = keyTextMax) => withFieldOptions(anyText(name, max), { secret: true })
const keepExisting = () => flag('keepExisting').default(false)

const read = (of: string): DashboardRoute => ({ method: 'GET', path: `/api/settings/${of}` })
const write = (of: string, verb: 'save' | 'clear'): DashboardRoute => ({
  method: 'POST',
  path: `/api/settings/${of}/${verb}`,
})

/** What the last check said; `NotChecked` while nothing has looked. */
const checked = { ready: z.boolean(), reason: z.string(), message: z.string() }

export const settingsOperations = {
  'settings.registry': operation({
    summary: 'Read where builds are pushed',
    tag,
    access: 'admin',
    dashboard: read('registry'),
    params: noParams,
    view: z.object({ repository: z.string(), configured: z.boolean(), hasLogin: z.boolean() }),
  }),
  'settings.registry-save': operation({
    summary: 'Choose where builds are pushed',
    tag,
    access: 'admin',
    dashboard: write('registry', 'save'),
    params: z.object({
      repository: matching(
        repositoryPattern,
        'repository must be a registry path such as registry.example.com/team',
        repositoryPathMax,
      ),
      username: anyText('username', serverUsernameMax).default(''),
      password: secret('password').default(''),
      keepExisting: keepExisting(),
    }),
    view: okView,
  }),
  'settings.registry-clear': operation({
    summary: 'Forget the registry and its login',
    tag,
    access: 'admin',
    dashboard: write('registry', 'clear'),
    params: noParams,
    view: okView,
  }),
  'settings.domain': operation({
    summary: 'Read the domain of the platform',
    tag,
    access: 'admin',
    dashboard: read('domain'),
    params: noParams,
    view: z.object({
      rootDomain: z.string(),
      dashboardURL: z.string(),
      dashboardExposure: z.string(),
      configured: z.boolean(),
      ...checked,
    }),
  }),
  'settings.domain-save': operation({
    summary: 'Set the domain of the platform and how the dashboard is reached',
    tag,
    access: 'admin',
    dashboard: write('domain', 'save'),
    params: z.object({
      rootDomain: host('rootDomain').optional(),
      dashboardURL: matchingOrEmpty(
        httpsOrigin,
        'dashboardURL must be an https address without a path, such as https://svc.example.com',
      ).optional(),
      dashboardExposure: oneOf('dashboardExposure', ['ingress', 'cloudflare-tunnel']).optional(),
    }),
    view: okView,
  }),
  'settings.domain-clear': operation({
    summary: 'Forget the domain of the platform',
    tag,
    access: 'admin',
    dashboard: write('domain', 'clear'),
    params: noParams,
    view: okView,
  }),
  'settings.dns-provider': operation({
    summary: 'Read the connection to the DNS provider',
    tag,
    access: 'admin',
    dashboard: read('dns-provider'),
    params: noParams,
    view: z.object({
      accountId: z.string(),
      zoneId: z.string(),
      zoneName: z.string(),
      zones: z.array(z.string()),
      configured: z.boolean(),
      ...checked,
    }),
  }),
  'settings.dns-provider-save': operation({
    summary: 'Connect the DNS provider',
    tag,
    access: 'admin',
    dashboard: write('dns-provider', 'save'),
    params: z.object({
      apiToken: secret('apiToken').optional(),
      accountId: text('accountId', { max: objectNameMax }).optional(),
      zoneName: host('zoneName').optional(),
      zones: withFieldOptions(list(host('zones'), `zones must be at most ${zonesMax} domains`, zonesMax).optional(), {
        commas: true,
      }),
      zoneId: matchingOrEmpty(/^[a-zA-Z0-9]+$/, 'zoneId must use letters and digits', 64).optional(),
      keepExisting: keepExisting(),
    }),
    view: okView,
  }),
  'settings.dns-provider-clear': operation({
    summary: 'Disconnect the DNS provider',
    tag,
    access: 'admin',
    dashboard: write('dns-provider', 'clear'),
    params: noParams,
    view: okView,
  }),
  'settings.githost': operation({
    summary: 'Read which git-host app is set up',
    tag,
    access: 'admin',
    dashboard: read('githost'),
    params: noParams,
    view: z.object({ appId: z.string(), clientId: z.string(), slug: z.string(), configured: z.boolean() }),
  }),
  'settings.githost-save': operation({
    summary: 'Set up the git-host app',
    tag,
    access: 'admin',
    dashboard: write('githost', 'save'),
    params: z.object({
      appId: matching(/^[0-9]{1,20}$/, 'appId must be a number').optional(),
      clientId: text('clientId', { max: objectNameMax }).optional(),
      clientSecret: secret('clientSecret').optional(),
      slug: matching(dnsLabel, 'slug must use lowercase letters, digits, and hyphens', 100).optional(),
      privateKey: withFieldOptions(matching(pemPattern, 'privateKey must be a private key in PEM form', keyTextMax), {
        secret: true,
      }).optional(),
      webhookSecret: secret('webhookSecret').optional(),
      keepExisting: keepExisting(),
    }),
    view: okView,
  }),
  'settings.githost-clear': operation({
    summary: 'Forget the git-host app',
    tag,
    access: 'admin',
    dashboard: write('githost', 'clear'),
    params: noParams,
    view: okView,
  }),
} as const
