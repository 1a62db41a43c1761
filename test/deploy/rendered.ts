/** Reads the two Deployments among the objects of the chart. */
import type { KubeObject } from '../../cluster/objects/object.ts'

export interface Variable {
  name: string
  value?: string
  valueFrom?: { secretKeyRef: { name: string; key: string } }
}

interface Labelled {
  matchLabels: Record<string, string>
}

export interface Deployment extends KubeObject {
  spec: {
    paused?: boolean
    selector: Labelled
    template: {
      metadata: { labels: Record<string, string> }
      spec: {
        serviceAccountName: string
        containers: [{ image: string; args: string[]; env: Variable[] }]
        topologySpreadConstraints: [{ labelSelector: Labelled }]
      }
    }
  }
}

export type Part = 'api' | 'worker'

/** Throws where there is none. */
export function deploymentOf(objects: readonly KubeObject[], part: Part): Deployment {
  const found = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === `svc-${part}`)
  if (found === undefined) throw new Error(`there is no Deployment svc-${part}`)
  return found as Deployment // as its kind says
}

/** The variables of a process that are no references to Secrets. */
export function environmentOf(objects: readonly KubeObject[], part: Part): Record<string, string> {
  const { env } = deploymentOf(objects, part).spec.template.spec.containers[0]
  return Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))
}

export const sortedBy = (one: KubeObject, other: KubeObject): number =>
  one.metadata.name < other.metadata.name ? -1 : 1
