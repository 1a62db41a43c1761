/** One client per installation of the app: a client keeps its token while that is valid. */
import type { GitHostApp } from '../../kinds/platform/settings.ts'
import type { GitHostSettings } from './addresses.ts'
import type { Client } from './octokit.ts'

/** The client of an installation; a new one once the app has another key. */
export function installedClients(
  settings: GitHostSettings,
): (app: GitHostApp, installation: number) => Promise<Client> {
  const clients = new Map<string, { key: string; client: Promise<Client> }>()
  return (app, installation) => {
    const id = `${app.appId}/${installation}`
    const known = clients.get(id)
    if (known?.key === app.privateKey) return known.client
    const client = import('./octokit.ts').then(({ connectAs }) => connectAs(settings, { app, installation }))
    clients.set(id, { key: app.privateKey, client })
    return client
  }
}
