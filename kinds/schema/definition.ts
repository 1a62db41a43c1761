/** The definition of one kind: the single source of its CRD, its types and its checks. */
import type { z } from 'zod'
import type { resourceTypes } from '../meta/resource-types.ts'

/** A CEL rule, and the sentence of the API server's refusal when it does not hold. */
export interface Rule {
  rule: string
  message: string
}

/** A column of `kubectl get`. */
export interface Column {
  name: string
  path: string
  type?: 'string' | 'integer' | 'boolean' | 'date'
  /** Shown only by `kubectl get -o wide`. */
  wide?: boolean
}

export interface KindDefinition {
  type: (typeof resourceTypes)[keyof typeof resourceTypes]
  singular: string
  shortNames: readonly string[]
  description: string
  spec: z.ZodObject
  status: z.ZodObject
  /** False only where status is written together with the spec (a deployment record is created as `Recorded`). */
  statusSubresource: boolean
  columns: readonly Column[]
  /** Rules that span spec, status and name; rules of the spec alone are beside their field. */
  rules: readonly Rule[]
}
