/** The Secret that says how a database or bucket is reached. */

/** The value of the purpose label on every one of them. */
export const connectionPurpose = 'connection'

/** `<name>-connection`, in the namespace of its environment, or in svc-system for what belongs to the whole cluster. */
export function connectionSecretName(name: string): string {
  return `${name}-connection`
}
