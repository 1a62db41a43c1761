/** How much of the cluster one environment may use, and the message when it has used that. */

/** Amounts by the names of a ResourceQuota, e.g. `pods` or `requests.cpu`; empty for no bound. */
export type EnvironmentQuota = Readonly<Record<string, string>>

/** Far above the needs of a project: one that creates pods without end stops here, and not at the last node. */
export const defaultQuota: EnvironmentQuota = { pods: '500', persistentvolumeclaims: '100', 'count/jobs.batch': '500' }

const exceeded = /exceeded quota: [^,]+, requested: (.+), used: (.+), limited: (.+)$/

const usedUp = 'the quota of the environment is used up'

/** Whether a message is about an exhausted quota. */
export const isOutOfQuota = (message: string): boolean => message.includes(usedUp)

/** The API server's refusal for want of quota as a sentence; undefined for any other message. */
export function quotaUsedUp(message: string): string | undefined {
  const [, requested, used, limited] = exceeded.exec(message) ?? []
  if (requested === undefined) return undefined
  return `${usedUp}: ${used} of ${limited}, and this asks for ${requested}; remove something, or ask an administrator for more`
}
