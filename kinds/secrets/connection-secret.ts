/** The Secret with the address and login of a database or bucket. */

/** The value of the purpose label on all connection Secrets. */
export const connectionPurpose = 'connection'

/** `<name>-connection`, in the namespace of its environment, or in svc-system for a resource of the whole cluster. */
export function connectionSecretName(name: string): string {
  return `${name}-connection`
}
