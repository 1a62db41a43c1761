/** The forms in which a service's repository may be written, and the address that git clones. */
import { repositoryName } from '../../contract/fields/patterns.ts'

/** Without user, password, query or fragment: logins are in Secrets. */
const http = /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?\/[\w.~/+-]+$/i
const ssh = /^ssh:\/\/[\w.-]+@[a-z0-9.-]+(:\d{1,5})?\/[\w.~/+-]+$/i
/** The short ssh form of git: `git@host:owner/name.git`. */
const scp = /^[\w.-]+@[a-z0-9.-]+:[\w.~/+-]+$/i

/**
 * The address that git clones for a repository; `owner/name` is one at `gitHost`, an address without a slash at its
 * end. Undefined for a text in no such form. Other schemes of git are excluded: `ext::` runs commands, and `file:`
 * reads the builder itself.
 */
export function cloneAddress(repository: string, gitHost: string): string | undefined {
  if (repository.includes('..')) return undefined
  if (repositoryName.test(repository)) return `${gitHost}/${repository.replace(/\.git$/, '')}.git`
  return [http, ssh, scp].some((form) => form.test(repository)) ? repository : undefined
}

/**
 * `owner/name` of a repository at the git host, in whatever form it is written; undefined for one on another host.
 * `gitHost` is an address without a slash at its end.
 */
export function nameAtGitHost(repository: string, gitHost: string): string | undefined {
  const { host } = new URL(gitHost)
  const forms = [`${gitHost}/`, `https://${host}/`, `ssh://git@${host}/`, `git@${host}:`]
  const prefix = forms.find((form) => repository.toLowerCase().startsWith(form.toLowerCase())) ?? ''
  const name = repository.slice(prefix.length).replace(/\.git$/, '')
  return repositoryName.test(name) && !name.includes('..') ? name : undefined
}

/** Whether git clones this address over ssh. */
export const isSsh = (address: string): boolean => ssh.test(address) || scp.test(address)

/** Whether git accepts the name as a branch and never takes it for an option. */
export function isBranchName(branch: string): boolean {
  return (
    /^[\w/.+@#-]+$/.test(branch) && !/^[-/.]|\.\.|\/\/|@\{|\.lock(\/|$)|[/.]$/.test(branch) && !branch.includes('/.')
  )
}

/** Whether a path is relative and stays within the repository. */
export function isInside(path: string): boolean {
  return /^[\w./ +@-]+$/.test(path) && !path.startsWith('/') && !path.split('/').includes('..')
}

/**
 * Server and path of a repository, the same for https and for ssh; undefined for an address that git does not clone.
 * Plain http counts as a server of its own, since what is sent over it is not encrypted.
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
