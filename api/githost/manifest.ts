/** The manifest by which the git host creates the app of an install (docs/reference/githost.md#the-app). */

const nameMax = 34

/** @param url address of the dashboard, as the git host reaches it */
export function manifestOf(url: string): object {
  const base = url.replace(/\/+$/, '')
  return {
    name: `svc ${new URL(base).hostname}`.slice(0, nameMax),
    url: base,
    public: false,
    hook_attributes: { url: `${base}/webhooks/githost`, active: true },
    redirect_url: `${base}/settings/githost/manifest/callback`,
    callback_urls: [`${base}/githost/callback`],
    // The person who comes back then has a code by which the git host shows their installations.
    request_oauth_on_install: true,
    default_permissions: {
      contents: 'read',
      metadata: 'read',
      checks: 'read',
      statuses: 'write',
      deployments: 'write',
      pull_requests: 'write',
    },
    default_events: ['push', 'pull_request', 'check_run', 'check_suite', 'status'],
  }
}
