/** The commands of the platform that are one operation each: settings, clouds, templates, usage, tokens. */
import type { OperationRow } from '../operations/operation-command.ts'
import { actAndFollowEnvironment } from '../wait/follow-environment.ts'
import { followCloud, followDnsProvider } from './follow-check.ts'
import { followDomain } from './follow-domain.ts'
import { workspaceRoles } from '../../contract/fields/words.ts'

const keep = { flags: '--keep-existing <on|off>', words: 'on: what is left out stays', kind: 'switch' } as const
const none = { done: 'Saved' } as const

export const settingRows: Readonly<Record<'registry' | 'domain' | 'dns' | 'githost', readonly OperationRow[]>> = {
  registry: [
    { name: 'show', id: 'settings.registry', description: 'show where builds are pushed' },
    {
      name: 'set',
      id: 'settings.registry-save',
      description: 'choose where builds are pushed',
      args: [['<repository>', 'such as registry.example.com/team', 'repository']],
      options: [
        { flags: '--username <name>', words: 'login' },
        { flags: '--password <file>', words: 'password of the login', kind: 'secret' },
        keep,
      ],
      ...none,
    },
    { name: 'clear', id: 'settings.registry-clear', description: 'forget the registry and its login', ...none },
  ],
  domain: [
    { name: 'show', id: 'settings.domain', description: 'show the domain of the platform and whether it works' },
    {
      name: 'set',
      id: 'settings.domain-save',
      description: 'set the domain of the platform and how the dashboard is reached',
      options: [
        { flags: '--root <domain>', words: 'domain below which services get hosts', field: 'rootDomain' },
        { flags: '--dashboard-url <address>', words: 'address of the dashboard', field: 'dashboardURL' },
        {
          flags: '--exposure <exposure>',
          words: 'how the dashboard is reached',
          field: 'dashboardExposure',
          choices: ['ingress', 'cloudflare-tunnel'],
        },
      ],
      wait: ['wait until the dashboard is reached at it', followDomain],
      ...none,
    },
    { name: 'clear', id: 'settings.domain-clear', description: 'forget the domain of the platform', ...none },
  ],
  dns: [
    { name: 'show', id: 'settings.dns-provider', description: 'show the connection to the DNS provider' },
    {
      name: 'set',
      id: 'settings.dns-provider-save',
      description: 'connect the DNS provider',
      options: [
        { flags: '--api-token <file>', words: 'token of the provider', kind: 'secret' },
        { flags: '--account-id <id>', words: 'account at the provider' },
        { flags: '--zone-name <domain>', words: 'zone of the platform' },
        { flags: '--zone-id <id>', words: 'ID of that zone' },
        { flags: '--zones <domains...>', words: 'further zones' },
        keep,
      ],
      wait: ['wait until the provider takes the token', followDnsProvider],
      ...none,
    },
    { name: 'clear', id: 'settings.dns-provider-clear', description: 'disconnect the DNS provider', ...none },
  ],
  githost: [
    { name: 'show', id: 'settings.githost', description: 'show which git-host app is set up' },
    {
      name: 'set',
      id: 'settings.githost-save',
      description: 'set up the git-host app',
      options: [
        { flags: '--app-id <number>', words: 'number of the app' },
        { flags: '--client-id <id>', words: 'its client ID' },
        { flags: '--client-secret <file>', words: 'its client secret', kind: 'secret' },
        { flags: '--slug <slug>', words: 'its name in addresses' },
        { flags: '--private-key <file>', words: 'its key, PEM', kind: 'secret' },
        { flags: '--webhook-secret <file>', words: 'secret of its events', kind: 'secret' },
        keep,
      ],
      ...none,
    },
    { name: 'clear', id: 'settings.githost-clear', description: 'forget the git-host app', ...none },
  ],
}

export const cloudRows: readonly OperationRow[] = [
  {
    name: 'list',
    id: 'cloud-connections.list',
    description: 'list the cloud connections of all projects, with what the last check said',
    columns: ['name', 'project', 'provider', 'account', 'ready', 'message'],
  },
  {
    name: 'create',
    id: 'cloud-connections.create',
    description: 'connect the project of -p to a cloud account',
    place: 'project',
    args: [['<name>', 'name of the connection', 'name']],
    options: [
      { flags: '--provider <provider>', words: 'cloud', choices: ['AWS', 'PlanetScale'] },
      { flags: '--region <region>', words: 'region' },
      { flags: '--access-key-id <file>', words: 'AWS: ID of the key', kind: 'secret' },
      { flags: '--secret-access-key <file>', words: 'AWS: the key', kind: 'secret' },
      { flags: '--organization <name>', words: 'PlanetScale: organization' },
      { flags: '--service-token <file>', words: 'PlanetScale: token', field: 'token', kind: 'secret' },
    ],
    done: 'Connected; its keys are checked now',
    wait: ['wait until the cloud takes the keys', followCloud],
  },
  {
    name: 'orphans',
    id: 'orphans.list',
    description: 'list what svc made in connected clouds and has no record of',
    columns: ['connection', 'project', 'kind', 'name', 'store'],
    named: 'name',
  },
]

export const templateRows: readonly OperationRow[] = [
  {
    name: 'list',
    id: 'templates.list',
    description: 'list templates',
    columns: ['id', 'name', 'category', 'description'],
  },
  {
    name: 'deploy',
    id: 'templates.deploy',
    description: 'make everything of a template in the environment',
    args: [['<template>', 'ID of the template', 'template']],
    place: 'environment',
  },
]

export const usageRow: OperationRow = {
  name: 'usage',
  id: 'usage.get',
  description: 'show what the cluster has, and what each project reserves and uses of it',
  list: 'projects',
  columns: ['project', 'displayName', 'pods', 'cpuReservedMillis', 'memoryReservedBytes', 'storageReservedBytes'],
}

const tokenColumns = ['id', 'name', 'scope', 'role', 'project', 'environment', 'expiresAt', 'lastUsedAt']
const expires = {
  flags: '--expires-in-days <days>',
  words: 'days until it expires; 0 for never',
  kind: 'number',
} as const

export const tokenRows: readonly OperationRow[] = [
  {
    name: 'list',
    id: 'tokens.list',
    description: 'list API tokens, the newest first',
    asAdmin: true,
    columns: tokenColumns,
  },
  {
    name: 'create',
    id: 'tokens.create',
    description: 'create an API token of the install; its value is shown once',
    asAdmin: true,
    args: [['<name>', 'what it is for', 'name']],
    options: [{ flags: '--role <role>', words: 'what it may do', choices: workspaceRoles }, expires],
  },
  {
    name: 'create-for-environment',
    id: 'tokens.create',
    description: 'create an API token that deploys the environment of -p and -e alone; its value is shown once',
    asAdmin: true,
    args: [['<name>', 'what it is for', 'name']],
    options: [expires],
    place: 'environment',
    fixed: { scope: 'project' },
  },
  {
    name: 'revoke',
    id: 'tokens.revoke',
    description: 'revoke an API token',
    asAdmin: true,
    args: [['<id>', 'ID of the token', 'id']],
    done: 'Revoked',
  },
  {
    name: 'services',
    id: 'tokens.services',
    description: 'list the services that the calling token may deploy',
    list: 'services',
    columns: ['id', 'name', 'kind', 'ready', 'pendingChanges'],
  },
  {
    name: 'deploy',
    id: 'tokens.deploy',
    description: 'deploy everything pending in the environment of the calling token',
    wait: [
      'wait until everything it deploys is ready or has failed',
      async (session, client, { flags, act }) => {
        const { project = '', environment = '' } = await client.call('platform.me', {}, { signal: session.signal })
        await actAndFollowEnvironment(session, client, { project, environment }, flags, act)
      },
    ],
  },
]
