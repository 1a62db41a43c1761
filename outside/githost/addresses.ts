/** The addresses of the git host, and the time limit of a call (docs/reference/githost.md). */

export interface GitHostSettings {
  /** The address of its pages, without a slash at the end. */
  web: string
  /** The address of its API. */
  api: string
  /** Deadline of one call, in milliseconds. */
  callMs: number
}

/** SVC_GITHUB_URL and SVC_GITHUB_API_URL: an Enterprise server instead of github.com. */
export function gitHostSettings(env: Readonly<Record<string, string | undefined>>): GitHostSettings {
  const bare = (url: string): string => url.replace(/\/+$/, '')
  return {
    web: bare(env['SVC_GITHUB_URL'] ?? 'https://github.com'),
    api: bare(env['SVC_GITHUB_API_URL'] ?? 'https://api.github.com'),
    callMs: Number(env['SVC_GITHUB_CALL_MS'] ?? 10_000),
  }
}
