/**
 * The comment of svc on a pull request: every reader of the repository sees it, so it holds only names, states and
 * addresses.
 */
import {
  askForAllowance,
  isAllowed,
  type OpenPullRequest,
  type PullRequest,
} from '../../kinds/projects/pull-requests.ts'
import type { Copied } from './copy-environment.ts'

export function aboutOpen(entry: OpenPullRequest, { services, left }: Copied, pull: PullRequest | undefined): string {
  const isBehind = pull !== undefined && pull.commit !== entry.commit && !isAllowed(entry, pull)
  return [
    `**Environment ${code(entry.environment)}** is a copy of ${code(entry.base)} at ${code(entry.commit.slice(0, 7))}.`,
    ...(entry.fork === true ? ['It has no secrets, since the commits come from a fork.'] : []),
    ...(isBehind ? [`Not updated: ${askForAllowance(pull.commit)}.`] : []),
    [
      '| service | state | address |',
      '| --- | --- | --- |',
      ...services.map(({ name, state, url }) => `| ${code(name)} | ${state} | ${url === '' ? '' : `<${url}>`} |`),
    ].join('\n'),
    ...(left.length === 0 ? [] : [['Not copied:', ...left.map((each) => `- ${code(each)}`)].join('\n')]),
  ].join('\n\n')
}

export const aboutResting = (why: string): string => `**No environment** was made: ${why}.`

export const aboutClosed = (why: string): string => `**The environment is gone:** ${why}.`

/** The text as inline code, in which neither markup nor mentions of people have an effect. */
const code = (text: string): string => `\`${text.replaceAll(/[`|\r\n]/g, ' ').trim()}\``
