/** Every dialog of the dashboard, and the sides of a page that a reader opens, each with the way to it. */
import type { Locator, Page, Route } from 'playwright-core'
import type { Filled } from './pages.ts'

export interface Opened {
  /** The source that shows it, below `dashboard/`. */
  readonly of: string
  readonly name: string
  readonly path: string
  /** Pixels, where it is not of a wide screen. */
  readonly width?: number
  /** Before the page is opened. */
  readonly prepare?: (page: Page) => Promise<void>
  /** Opens it, and gives what has the focus again once it is closed; where that is undefined it is no dialog. */
  readonly open: (page: Page) => Promise<Locator | undefined>
}

/** Opened and left by tests that make what it takes; they ask axe as well. */
export const openedElsewhere: Readonly<Record<string, string>> = {
  'apps/actions.tsx': 'from-git.test.ts',
  'apps/functions/schedules.tsx': 'function.test.ts',
  'shell/gate.tsx': 'sign-in.test.ts',
  'data-services/backups.tsx': 'databases.test.ts',
  'projects/git-host.tsx': 'project-settings.test.ts',
}

export function dialogsOf(filled: Filled): readonly Opened[] {
  const { project, web, site, database, logical, bucket, token, user } = filled
  const service = `/services/${web}`
  const deletes = (of: string, name: string, path: string, label: string | RegExp, row?: string): Opened => ({
    of,
    name,
    path,
    open: (page) => press(row === undefined ? page.getByRole('main') : rowOf(page, row), label),
  })
  return [
    {
      of: 'shell/frame.tsx',
      name: 'menu',
      path: '/',
      width: 360,
      open: (page) => press(page.locator('header'), 'Menu'),
    },
    {
      of: 'shell/palette.tsx',
      name: 'palette',
      path: '/',
      async open(page) {
        const opener = await press(page.locator('header'), /^Search or do/)
        await page.getByRole('combobox').fill('web')
        await page.getByRole('option', { selected: true }).waitFor()
        return opener
      },
    },
    {
      of: 'shell/shortcuts.tsx',
      name: 'shortcuts',
      path: '/',
      async open(page) {
        await page.getByRole('heading', { level: 1 }).focus()
        await page.keyboard.press('?')
        return page.getByRole('heading', { level: 1 })
      },
    },
    { of: 'shell/user-menu.tsx', name: 'user-menu', path: '/', open: (page) => press(page.locator('header'), 'admin') },
    deletes('cluster/page.tsx', 'place', '/cluster', /^Place /),
    ...['Steps', 'Compare', 'Roll back'].map((label) =>
      deletes(
        'apps/deployments/deployments.tsx',
        label.toLowerCase().replace(' ', '-'),
        `${service}/deployments`,
        label,
      ),
    ),
    deletes('apps/deployments/pending.tsx', 'discard', service, 'Discard'),
    deletes('projects/changes.tsx', 'discard-one', `/projects/${project}/changes`, 'Discard'),
    deletes('projects/changes.tsx', 'discard-all', `/projects/${project}/changes`, 'Discard all'),
    deletes('apps/variables/variables.tsx', 'remove-secret', `${service}/variables`, 'Remove API_KEY'),
    {
      ...deletes('apps/variables/variables.tsx', 'remove-reference', `${service}/variables`, 'Remove PASSWORD'),
      prepare: withAnswer(new RegExp(`/apps/${web}/variables$`), (answer) => ({
        ...answer,
        env: [{ name: 'PASSWORD', kind: 'secretKeyRef' }],
      })),
    },
    deletes('apps/danger.tsx', 'delete-service', `${service}/danger`, 'Delete this service'),
    deletes('apps/builds/deploy-key.tsx', 'replace-key', `/services/${site}/settings`, 'Replace this deploy key'),
    deletes('apps/builds/deploy-key.tsx', 'remove-key', `/services/${site}/settings`, 'Remove this deploy key'),
    deletes(
      'apps/builds/pushes.tsx',
      'replace-secret',
      `/services/${site}/settings`,
      'Replace this git webhook secret',
    ),
    deletes('projects/shared-variables.tsx', 'remove-shared', `/projects/${project}/settings`, 'Remove LEVEL'),
    deletes('projects/webhooks.tsx', 'new-webhook-secret', `/projects/${project}/settings`, 'New secret'),
    deletes('projects/webhooks.tsx', 'delete-webhook', `/projects/${project}/settings`, 'Delete this webhook'),
    deletes('projects/settings.tsx', 'delete-environment', `/projects/${project}/settings`, 'Delete this environment'),
    deletes('projects/settings.tsx', 'delete-project', `/projects/${project}/settings`, 'Delete this project'),
    deletes('projects/deliveries.tsx', 'tries', `/projects/${project}/settings`, /^Tries of /),
    {
      ...deletes(
        'projects/backup-storage.tsx',
        'forget-storage',
        `/projects/${project}/settings`,
        /^Forget this backup/,
      ),
      prepare: withAnswer(new RegExp(`/projects/${project}$`), ({ spec, ...rest }) => ({
        ...rest,
        spec: { ...spec, backupStorage: { connectionRef: { name: 'aws' }, bucket: 'kept', region: '' } },
      })),
    },
    {
      ...deletes('projects/pull-requests.tsx', 'close-pull-request', `/projects/${project}/settings`, 'Close'),
      prepare: withAnswer(new RegExp(`/projects/${project}$`), ({ spec, ...rest }) => ({
        ...rest,
        spec: {
          ...spec,
          pullRequests: [{ environment: 'pr-7', repository: 'acme/web', number: 7, commit: '4b825dc642cb' }],
        },
      })),
    },
    {
      ...deletes('data-services/head.tsx', 'discard-of-data', `/databases/${database}`, 'Discard'),
      prepare: withAnswer(new RegExp(`/databases/${database}$`), ({ resource, ...rest }) => ({
        ...rest,
        resource: { ...resource, state: 'ready', pendingChanges: 1 },
      })),
    },
    deletes('data-services/database.tsx', 'delete-database', `/databases/${database}`, 'Delete this database'),
    deletes(
      'data-services/logical-database.tsx',
      'delete-logical-database',
      `/logical-databases/${logical}`,
      'Delete this logical database',
    ),
    deletes('data-services/bucket.tsx', 'delete-bucket', `/buckets/${bucket}`, 'Delete this bucket'),
    {
      ...deletes('data-services/bucket.tsx', 'delete-server', `/buckets/${bucket}`, 'Delete this object server'),
      prepare: withAnswer(new RegExp(`/object-stores/${bucket}$`), ({ resource, ...answer }) => ({
        ...answer,
        resource: { ...resource, project: '', environment: '' },
      })),
    },
    deletes('settings/tokens.tsx', 'revoke-token', '/settings/tokens', 'Revoke', token),
    deletes('settings/users.tsx', 'remove-user', '/settings/users', 'Remove this user', user),
    deletes('settings/users.tsx', 'change-role', '/settings/users', `Make admin: ${user}`),
    deletes('settings/reset-password.tsx', 'new-password', '/settings/users', `New password for ${user}`),
    ...(
      [
        ['settings/registry.tsx', 'registry', 'registry', 'Forget this registry', { repository: 'ghcr.io/shop' }],
        ['settings/githost.tsx', 'githost', 'githost', 'Forget this git-host app', { slug: 'svc-shop' }],
        ['settings/domain.tsx', 'domain', 'domain', 'Forget this domain', { rootDomain: 'shop.example' }],
        ['settings/dns-provider.tsx', 'dns', 'dns-provider', /^Disconnect this/, { zoneName: 'shop.example' }],
      ] as const
    ).map(([of, section, read, label, fields]) => ({
      ...deletes(of, `forget-${section}`, `/settings/${section}`, label),
      prepare: withAnswer(new RegExp(`/settings/${read}$`), (answer) => ({ ...answer, ...fields, configured: true })),
    })),
  ]
}

/** What of a page is seen only after a click, besides dialogs. */
export function sidesOf({ project, web }: Filled): readonly Opened[] {
  const made = [
    'Service from git',
    'Function',
    'Database',
    'Database elsewhere',
    'Logical database',
    'Bucket',
    'Template',
  ]
  const variables = `/services/${web}/variables`
  const click = async (target: Locator) => {
    await target.click()
    return undefined
  }
  return [
    ...made.map((form) => ({
      of: 'projects/create.tsx',
      name: `create-${form.toLowerCase().replaceAll(' ', '-')}`,
      path: `/projects/${project}/create`,
      open: (page: Page) =>
        click(page.getByRole('radiogroup', { name: 'What to create' }).getByText(form, { exact: true })),
    })),
    {
      of: 'apps/variables/variables.tsx',
      name: 'variables-paste',
      path: variables,
      async open(page) {
        await page.getByRole('button', { name: 'Paste a .env' }).click()
        await page.getByLabel('Lines of a .env file').fill('lower=1\nno value here\nMODE=fast')
        return undefined
      },
    },
    {
      of: 'apps/variables/variables.tsx',
      name: 'variables-raw',
      path: variables,
      open: (page) => click(page.getByRole('button', { name: 'Edit all as text' })),
    },
    {
      of: 'apps/deployments/pending.tsx',
      name: 'pending-changes',
      path: `/services/${web}`,
      open: (page) => click(page.getByRole('button', { name: 'Show changes' })),
    },
    {
      of: 'apps/settings.tsx',
      name: 'refused-field',
      path: `/services/${web}/settings`,
      async open(page) {
        await page.getByLabel('Port').fill('99999')
        await page.getByText('port must be a whole number from 1 to 65535').waitFor()
        return undefined
      },
    },
  ]
}

async function press(within: Locator, label: string | RegExp): Promise<Locator> {
  const exact = typeof label === 'string'
  const opener = within.getByRole('button', { name: label, exact }).first()
  await opener.click()
  return opener
}

const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text })

/** The page sees the api's answer with other fields: what it would take another system to make. */
function withAnswer(path: RegExp, change: (answer: Record<string, object>) => object) {
  const answer = async (route: Route): Promise<void> => {
    const response = await route.fetch()
    const read = (await response.json()) as Record<string, object> // as each of these reads answers
    await route.fulfill({ response, json: change(read) })
  }
  return async (page: Page): Promise<void> =>
    void (await page.route(({ pathname }) => pathname.startsWith('/api/') && path.test(pathname), answer))
}
