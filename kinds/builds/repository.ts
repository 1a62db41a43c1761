/** How the repository of a service is written, and what git is given for it. */

/** `owner/name`, of the git host of the install. */
const short = /^[\w.-]+\/[\w.-]+$/
/** No user, password, query or fragment: logins are in Secrets. */
const http = /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?\/[\w.~/+-]+$/i
const ssh = /^ssh:\/\/[\w.-]+@[a-z0-9.-]+(:\d{1,5})?\/[\w.~/+-]+$/i
/** As git writes it itself: `git@host:owner/name.git`. */
const scp = /^[\w.-]+@[a-z0-9.-]+:[\w.~/+-]+$/i

/**
 * The address that git clones, where `owner/name` is one of `gitHost`, an address without a slash at its end;
 * undefined for what is none. Other schemes of git are left out on purpose: `ext::` runs commands, `file:` reads the
 * builder itself.
 */
export function cloneAddress(repository: string, gitHost: string): string | undefined {
  if (repository.includes('..')) return undefined
  if (short.test(repository)) return `${gitHost}/${repository.replace(/\.git$/, '')}.git`
  return [http, ssh, scp].some((form) => form.test(repository)) ? repository : undefined
}

/**
 * `owner/name` of a repository of the git host, however it is written; undefined for one of another host. `gitHost` is
 * an address without a slash at its end.
 */
export function nameAtGitHost(repository: string, gitHost: string): string | undefined {
  const { host } = new URL(gitHost)
  const forms = [`${gitHost}/`, `https://${host}/`, `ssh://git@${host}/`, `git@${host}:`]
  const prefix = forms.find((form) => repository.toLowerCase().startsWith(form.toLowerCase())) ?? ''
  const name = repository.slice(prefix.length).replace(/\.git$/, '')
  return short.test(name) && !name.includes('..') ? name : undefined
}

/** Whether an address that git clones is one of ssh. */
export const isSsh = (address: string): boolean => ssh.test(address) || scp.test(address)

/** A name that git takes for a branch, and never for an option. */
export function isBranchName(branch: string): boolean {
  return (
    /^[\w/.+@#-]+$/.test(branch) && !/^[-/.]|\.\.|\/\/|@\{|\.lock(\/|$)|[/.]$/.test(branch) && !branch.includes('/.')
  )
}

/** A folder or file within the repository: relative, and not out of it. */
export function isInside(path: string): boolean {
  return /^[\w./ +@-]+$/.test(path) && !path.startsWith('/') && !path.split('/').includes('..')
}

/**
 * Server and path of a repository, so that one is the same whether by https or by ssh; undefined for what git does not
 * clone. Plain http is a server of its own: what is sent there is sent in the open.
 */
export function placeOf(repository: string, gitHost: string): string | undefined {
  const address = cloneAddress(repository, gitHost)
  if (address === undefined) return undefined
  const [begin = '', plain = '', host = ''] =
    /^(?:(http:\/\/)|https:\/\/|(?:ssh:\/\/)?[^/@]+@)([^/:]+(?::\d+(?=\/))?)/i.exec(address) ?? []
  const path = address
    .slice(begin.length)
    .replace(/^[:/]+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  return `${plain}${host}`.toLowerCase() + `/${path}`
}
