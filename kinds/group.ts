/** The API group, version and home namespace of every kind of the platform. */

export const group = 'svc.svc.dev'
export const version = 'v1alpha1'
export const apiVersion = `${group}/${version}`

/** "All created in `svc-system`": records live here, what runs for them lives in `<project>-<environment>`. */
export const systemNamespace = 'svc-system'
