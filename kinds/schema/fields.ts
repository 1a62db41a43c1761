/** Field schemas that several kinds use: names, references, quantities, times, conditions, tags. */
import { z } from 'zod'
import {
  environmentNameMax,
  nodeTagNameMax,
  objectNameMax,
  variableNameMax,
  backupRetentionDays,
} from '../../contract/limits.ts'
import * as patterns from '../../contract/fields/patterns.ts'
import { conditionsMax, textMax } from '../meta/bounds.ts'
import type { Column, Rule } from './definition.ts'
import type { Condition } from '../meta/resource.ts'
import { placements } from '../../contract/fields/words.ts'

/** CEL rules that the API server checks; spread into `.meta()` of their field. */
export const rules = (...list: Rule[]) => ({ 'x-kubernetes-validations': list })
/** A list with unique entries; server-side apply merges it by value. */
export const asSet = { 'x-kubernetes-list-type': 'set' } as const
/** A list whose entries are unique by these keys; server-side apply merges it by them. */
export const asMap = (...keys: string[]) => ({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys })
/** Description of a field that svc stores for callers and does not use. */
export const notActedOn = { description: 'Saved; svc does not act on it.' } as const

export const environmentName = z.string().min(1).max(environmentNameMax).regex(patterns.dnsLabel)
export const projectName = z.string().regex(patterns.projectId)
export const objectName = z.string().min(1).max(objectNameMax).regex(patterns.objectName)
export const variableName = z
  .string()
  .min(1)
  .max(variableNameMax)
  .regex(/^[-._a-zA-Z][-._a-zA-Z0-9]*$/)
export const text = z.string().max(textMax)
/**
 * RFC 3339 as the API server takes it for `date-time`, which zod takes without seconds and with capital letters only.
 * No pattern: that would enter the CRDs.
 */
const isTime = (value: string): boolean =>
  /t\d\d:\d\d:\d\d/i.test(value) && z.iso.datetime({ offset: true }).safeParse(value.toUpperCase()).success
export const time = z
  .string()
  .refine(isTime, 'must be a time such as 2026-01-31T12:00:00Z')
  .meta({ format: 'date-time' })
/** Who asked: a user name or a token id. It becomes a search attribute of runs, which a database may cut off at 255. */
export const actor = z.string().max(objectNameMax)
export const quantity = z.string().max(32).regex(patterns.quantity)

/** A label of at most 40 characters. */
export const nodeTag = z.string().min(1).max(nodeTagNameMax).regex(patterns.dnsLabel)

/** A pointer to one object in the same namespace. */
export const nameRef = z.object({ name: objectName.meta({ description: 'Name of the object.' }) })
/** A pointer to one key of a Secret in the same namespace. */
export const secretKeyRef = z.object({
  name: objectName.meta({ description: 'Name of the Secret.' }),
  key: variableName.meta({ description: 'Key inside the Secret.' }),
})

/** Nodes a workload may run on. */
export const runOn = (tagsMax: number) =>
  z
    .object({
      tags: z
        .array(nodeTag)
        .max(tagsMax)
        .default([])
        .meta({ description: 'Tags a node must all carry; empty means any node.', ...asSet }),
    })
    .prefault({})
    .meta({ description: 'Which nodes this may run on.' })

/** `project` and `environment` of kinds that may also be cluster-wide; both are then empty. */
export const ownerFields = {
  project: z
    .string()
    .max(objectNameMax)
    .default('')
    .meta({ description: 'ID of the project; empty is the server of the whole cluster.' }),
  environment: z
    .string()
    .max(environmentNameMax)
    .regex(patterns.orEmpty(patterns.dnsLabel))
    .default('')
    .meta({ description: 'Environment of the project.' }),
}
export const ownerRule: Rule = {
  rule: "(self.project == '') == (self.environment == '')",
  message: 'set project and environment together, or neither',
}

export const placement = z
  .enum(placements)
  .default('InCluster')
  .meta({ description: 'On this cluster, or outside of it.' })

/** CPU and memory of one copy; limits that are left out equal the requests. */
export const resources = (cpu: string, memory: string) => {
  const limits = z.object({
    cpu: quantity.exactOptional().meta({ description: 'CPU in cores, as 1, 0.5 or 500m.' }),
    memory: quantity.exactOptional().meta({ description: 'Memory in bytes, as 512Mi or 2Gi.' }),
  })
  const requests = z.object({
    cpu: quantity.default(cpu).meta({ description: 'CPU in cores, as 1, 0.5 or 500m.' }),
    memory: quantity.default(memory).meta({ description: 'Memory in bytes, as 512Mi or 2Gi.' }),
  })
  return z
    .object({
      requests: requests.prefault({}).meta({ description: 'What is reserved for each copy.' }),
      limits: limits
        .optional()
        .meta({ description: 'What a copy may use at most; equal to the requests when left out.' }),
    })
    .prefault({})
    .meta({ description: 'CPU and memory of one copy.' })
}

/** `deploy.enabled` of kinds without other fields of a deploy. */
export const deployEnabled = z
  .boolean()
  .default(false)
  .meta({ description: 'True once deployed; false is a draft that nothing is made for.' })

const condition = z.object({
  type: z.string().min(1).max(316).meta({ description: 'What the condition is about.' }),
  status: z.enum(['True', 'False', 'Unknown']).meta({ description: 'Whether it holds.' }),
  reason: z.string().min(1).max(1024).meta({ description: 'One word for the cause.' }),
  message: z.string().max(32_768).meta({ description: 'The cause in a sentence.' }),
  lastTransitionTime: time.meta({ description: 'When the status last changed.', format: 'date-time' }),
  observedGeneration: z.int().exactOptional().meta({ description: 'The metadata.generation this was said of.' }),
}) satisfies z.ZodType<Condition>

/** Status fields of every reconciled kind; kinds add their own, such as `lastAttempt`. */
export const reconciledStatus = {
  conditions: z
    .array(condition)
    .max(conditionsMax)
    .optional()
    .meta({ description: 'What holds now, and why.', ...asMap('type') }),
  observedGeneration: z.int().optional().meta({ description: 'The metadata.generation last worked on.' }),
  observedIntent: z
    .string()
    .optional()
    .meta({ description: 'The intent whose work has ended; differs while work is going on.' }),
  acceptedIntent: z.string().optional().meta({ description: 'The intent whose work has begun.' }),
  reconcileRetry: z
    .object({
      token: z.string().optional().meta({ description: 'Its token.' }),
      failures: z.int().min(0).optional().meta({ description: 'Not written.' }),
      firstFailureAt: time.optional().meta({ description: 'Not written.', format: 'date-time' }),
    })
    .optional()
    .meta({ description: 'The retry that was accepted last.' }),
}

/** Failed passes in a row of a provisioning, and the retry that they belong to. */
export const provision = z
  .object({
    token: z.string().optional().meta({ description: 'The retry this count belongs to.' }),
    failures: z.int().min(0).optional().meta({ description: 'Failed passes in a row.' }),
    firstFailureAt: time.optional().meta({ description: 'When the first of them failed.', format: 'date-time' }),
  })
  .optional()
  .meta({ description: 'Counts failed provisioning passes.' })

/** Columns of the kinds that belong to a project and have a Ready condition. */
export const readyColumns: readonly Column[] = [
  { name: 'Project', path: '.spec.project' },
  { name: 'Environment', path: '.spec.environment' },
  { name: 'Ready', path: ".status.conditions[?(@.type=='Ready')].status" },
  { name: 'Reason', path: ".status.conditions[?(@.type=='Ready')].reason" },
  { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
]

/** Backup settings of a kind that has them only since a later release; applied at once. */
export const ownBackups = (description: string) =>
  z
    .object({
      enabled: z.boolean().optional().meta({ description: 'Write backups to the storage of the project.' }),
      retentionDays: z
        .int()
        .min(1)
        .max(backupRetentionDays.max)
        .optional()
        .meta({ description: 'Days a backup is kept; 7 when left out.' }),
    })
    .optional()
    .meta({ description })
