/** The API group, version and home namespace of every kind of the platform. */

export const group = 'svc.svc.dev'
export const version = 'v1alpha1'
export const apiVersion = `${group}/${version}`

/**
 * All records live here (docs/reference/conventions.md#quantities-and-names), what runs for them lives in
 * `<project>-<environment>`.
 */
export const systemNamespace = 'svc-system'
