/** The API group, version and home namespace of every kind of the platform. */

export const group = 'svc.svc.dev'
export const version = 'v1alpha1'
export const apiVersion = `${group}/${version}`

/**
 * All records are in this namespace (docs/reference/conventions.md#quantities-and-names); their workloads run in
 * `<project>-<environment>`.
 */
export const systemNamespace = 'svc-system'

/** By which the cluster knows the fields that svc has set. */
export const fieldManager = 'svc'
