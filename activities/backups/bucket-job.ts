/** The Job of a backup, a restore or a drill of a bucket: its login, its object server, its nodes. */
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { BackupJob } from '../../kinds/backup-archives/pods.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { serverHost, serverPort, userSecretName } from '../../kinds/object-stores/names.ts'
import { nodeChoiceOf } from '../../kinds/placement/node-choice.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { readOwnSecret } from '../kube/own-secret.ts'
import { type JobPlace, ownLabels, podLabels } from './job.ts'

export const noBucketLogin = 'credentials of the bucket unavailable'

/** The keys of the bucket's own user, for the Secret of the Job; they open no other bucket. Undefined if missing. */
export async function bucketLogin(
  { client }: Pick<ActivityNeeds, 'client'>,
  { metadata: { name, uid = '' } }: ObjectStore,
): Promise<Record<string, string> | undefined> {
  const secret = await readOwnSecret(client, { name: userSecretName(name), namespace: systemNamespace, owner: uid })
  const { accessKey = '', secretKey = '' } = secret?.values ?? {}
  return accessKey === '' || secretKey === '' ? undefined : { username: accessKey, password: secretKey }
}

/** The Job of a bucket. Its login is in the Secret of the Job itself; a drill replaces it by none. */
export async function bucketJobOf(needs: ActivityNeeds, place: JobPlace): Promise<BackupJob> {
  return {
    name: place.name,
    namespace: place.namespace,
    engine: 'bucket',
    image: needs.objectServer.image,
    transferImage: needs.backupImage,
    host: serverHost,
    port: serverPort,
    secrets: { store: place.name, login: place.name, admin: undefined },
    nodes: nodeChoiceOf(await needs.projects.read(place.project)),
    labels: ownLabels(place),
    podLabels: podLabels(place),
    notes: {},
  }
}
