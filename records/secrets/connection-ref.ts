/** Which cloud connection a database or bucket may name: one of its own project, with the right provider. */
import { refuse } from '../../contract/problem.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'

export interface ConnectionNeeds {
  cloudConnection: (name: string) => Promise<CloudConnection | undefined>
}

/** Throws Problem invalid_request; a connection of another project gets the same refusal as a missing one. */
export async function refuseConnection(
  { cloudConnection }: ConnectionNeeds,
  name: string,
  { project, provider }: { project: string; provider: CloudConnection['spec']['provider'] },
): Promise<void> {
  const connection = await cloudConnection(name)
  if (
    connection === undefined ||
    connection.metadata.deletionTimestamp !== undefined ||
    connection.spec.project !== project
  ) {
    throw refuse(`the project has no cloud connection named ${name}`)
  }
  if (connection.spec.provider !== provider) throw refuse(`the cloud connection ${name} is not one of ${provider}`)
}
