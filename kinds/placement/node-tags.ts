/** Tags, region and zone of a node: labels that pods select, and taints that keep other pods away. */

const tagPrefix = 'svc.dev/tag-'
const compliancePrefix = 'svc.dev/compliance-'
const reservedPrefix = 'svc.dev/reserved-'

/** Well-known labels of Kubernetes, which cloud providers set, too. */
export const regionLabel = 'topology.kubernetes.io/region'
export const zoneLabel = 'topology.kubernetes.io/zone'

export interface NodeTag {
  readonly name: string
  /** Only pods that ask for the tag may run there. */
  readonly reserved: boolean
  readonly compliance: boolean
}

export interface Taint {
  key: string
  value?: string
  effect: string
}

/** The fields of a node that tags need. */
export interface TaggedNode {
  metadata: { name: string; labels?: Record<string, string> }
  spec?: { taints?: Taint[] }
}

/** The label of a tag; its value is `true`, and a pod selects it. */
const tagLabel = (tag: string): string => `${tagPrefix}${tag}`
export const complianceLabel = (tag: string): string => `${compliancePrefix}${tag}`
/** NoSchedule: pods that run there already stay. */
export const reservedTaint = (tag: string): Taint => ({
  key: `${reservedPrefix}${tag}`,
  value: 'true',
  effect: 'NoSchedule',
})

export const isTagLabel = (key: string): boolean => key.startsWith(tagPrefix) || key.startsWith(compliancePrefix)
export const isReservedTaint = ({ key }: Taint): boolean => key.startsWith(reservedPrefix)

/** The tags of a node, by name. */
export function tagsOf({ metadata: { labels = {} }, spec }: TaggedNode): NodeTag[] {
  const reserved = new Set(
    (spec?.taints ?? []).filter(isReservedTaint).map(({ key }) => key.slice(reservedPrefix.length)),
  )
  return Object.keys(labels)
    .filter((key) => key.startsWith(tagPrefix))
    .map((key) => key.slice(tagPrefix.length))
    .toSorted()
    .map((name) => ({ name, reserved: reserved.has(name), compliance: labels[complianceLabel(name)] !== undefined }))
}

/** Empty for a node without a region. */
export const regionOf = ({ metadata }: TaggedNode): string => metadata.labels?.[regionLabel] ?? ''
export const zoneOf = ({ metadata }: TaggedNode): string => metadata.labels?.[zoneLabel] ?? ''

/** The nodeSelector and the tolerations of a pod that asks for these tags. */
export const tagSelector = (tags: readonly string[]): Record<string, string> =>
  Object.fromEntries(tags.map((tag) => [tagLabel(tag), 'true'] as const))
export const tagTolerations = (tags: readonly string[]) =>
  tags.map((tag) => ({ key: reservedTaint(tag).key, operator: 'Exists' as const, effect: reservedTaint(tag).effect }))

/** Whether a pod that asks for these tags may run on the node, by its tags. */
export function takesTags(node: TaggedNode, tags: readonly string[]): boolean {
  const there = tagsOf(node)
  return (
    tags.every((tag) => there.some(({ name }) => name === tag)) &&
    there.every(({ name, reserved }) => !reserved || tags.includes(name))
  )
}

/**
 * Why a project cannot have its required tags, one sentence per reason: a tag must be on a node of the project's
 * region, and reserved on every node that has it (docs/reference/projects.md#compliance). Empty when it can.
 */
export function unmetTags(
  { region, requiredTags }: { region: string; requiredTags: readonly string[] },
  nodes: readonly TaggedNode[],
): string[] {
  return requiredTags.flatMap((tag) => {
    const carriers = nodes.filter((node) => tagsOf(node).some(({ name }) => name === tag))
    const there = carriers.some((node) => region === '' || regionOf(node) === region)
    const open = carriers.filter((node) => !tagsOf(node).some(({ name, reserved }) => name === tag && reserved))
    return [
      ...(there ? [] : [`no node${region === '' ? '' : ` in region ${region}`} carries the tag ${tag}`]),
      ...open.map(({ metadata }) => `the tag ${tag} is not reserved on node ${metadata.name}`),
    ]
  })
}
