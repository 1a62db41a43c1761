/** Fields that services, databases and buckets share, each with its refusal. */
import { z } from 'zod'
import { anyText, flag, withFieldOptions, list, matching, matchingOrEmpty } from './fields.ts'
import { nodeTagNameMax, runOnTagsMax, workloadNameMax, objectNameMax } from '../limits.ts'
import { cpuQuantity, dnsLabel, memoryQuantity } from './patterns.ts'

/** The name of a record, short enough for everything that is named after it. Empty: one is made up. */
export const workloadName = () =>
  matchingOrEmpty(
    dnsLabel,
    `name must use lowercase letters, digits, and hyphens, up to ${workloadNameMax} characters`,
    workloadNameMax,
  )

/** Left blank, it stays as it is. */
export const quantityOf = (name: string, example: string) =>
  matchingOrEmpty(memoryQuantity, `${name} must be a quantity such as ${example}`, 20)

/** Sizes of one copy; requests and limits are the same. Left blank, they stay as they are. */
export const size = {
  cpu: withFieldOptions(matchingOrEmpty(cpuQuantity, 'cpu must be a quantity such as 250m or 1', 20).optional(), {
    aliases: ['cpuRequest'],
  }),
  memory: withFieldOptions(quantityOf('memory', '512Mi or 1Gi').optional(), { aliases: ['memoryRequest'] }),
}

/** Node tags, which need an admin session (docs/reference/access.md#node-tags-of-a-service). */
export const runOnTags = () =>
  withFieldOptions(
    list(
      matching(
        dnsLabel,
        `a node tag must use lowercase letters, digits, and hyphens, up to ${nodeTagNameMax} characters`,
        nodeTagNameMax,
      ),
      `runOnTags must be at most ${runOnTagsMax} tags`,
      runOnTagsMax,
    ),
    { commas: true, adminSession: true },
  )

/** Closed to project tokens (docs/reference/services.md#running-as-root). */
export const runAsRoot = () => withFieldOptions(flag('runAsRoot'), { admin: true })

/** `?project=&environment=` of a list: a filter, so anything may be asked for. */
export const ownerQuery = z.object({
  project: anyText('project', objectNameMax).optional(),
  environment: anyText('environment', objectNameMax).optional(),
})
