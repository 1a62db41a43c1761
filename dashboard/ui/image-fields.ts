/** Fields of what runs an image, which are asked for when a service is made and when its settings are changed. */
import type { FormField } from './form-field.ts'

/** See docs/guides/confinement.md#never-root. */
export const rootField: FormField = {
  name: 'runAsRoot',
  label: 'May run as root',
  kind: 'check',
  hint: 'Most public images do; one with a numeric user other than 0 needs no such right',
}

/** See docs/reference/nodes.md#placement. */
export const tagsField: FormField = {
  name: 'runOnTags',
  label: 'Node tags',
  kind: 'lines',
  hint: 'One a line: a node must carry all of them. Left empty, any node that its project may have',
}

/** See docs/reference/services.md#volumes. */
export const volumeFields: readonly FormField[] = [
  {
    name: 'volumePath',
    label: 'Path of the volume',
    placeholder: '/data',
    hint: 'What is written there outlasts deploys. One copy has it, so a deploy is a short gap. Left empty, no copy has one, and the data of an earlier one is kept',
  },
  {
    name: 'volumeSize',
    label: 'Size of the volume',
    placeholder: '10Gi',
    hint: 'It never shrinks, and grows where the storage of the cluster can',
    when: ({ volumePath }) => volumePath !== '',
  },
]
