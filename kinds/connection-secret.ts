/** The Secret that says how a database or bucket is reached. */

/** `<name>-connection`, in the namespace of its environment, or in svc-system for what belongs to the whole cluster. */
export function connectionSecretName(name: string): string {
  return `${name}-connection`
}
