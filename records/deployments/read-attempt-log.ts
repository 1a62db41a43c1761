/** Reads the log object of an attempt: what the deployment logs are made of once the pods are gone. */

import type { V1ConfigMap } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { attemptLogName, attemptLogPurpose } from '../../kinds/apps/names.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { defined } from '../../contract/defined.ts'

export interface AttemptLog {
  /** One line per step and per change of reason, oldest first, each beginning with its RFC 3339 time. */
  steps: string[]
  /** The image its copies ran, with its digest where that was known. */
  image?: string
  /** Last lines of pods that failed. */
  pods: { pod: string; lines: string[] }[]
}

/** Undefined when nothing was kept for the record; another ConfigMap of that name is no log. */
export async function readAttemptLog(client: ClusterClient, record: string): Promise<AttemptLog | undefined> {
  const found = await client.get<Sent<V1ConfigMap>>({
    type: coreTypes.configMap,
    namespace: systemNamespace,
    name: attemptLogName(record),
  })
  if (found?.metadata.labels?.[labels.purpose] !== attemptLogPurpose) return undefined
  const { steps = '', image, ...others } = found.data ?? {}
  const pods = Object.entries(others).filter(([key]) => key.startsWith('pod-'))
  return {
    steps: linesOf(steps),
    ...defined({ image }),
    pods: pods.map(([key, text]) => ({ pod: key.slice('pod-'.length), lines: linesOf(text) })),
  }
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}
