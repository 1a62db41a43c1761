/** A build as its record has it, with the status of a test. */
import { type Build, buildSpec } from '../../../kinds/builds/kind.ts'

export const build = (name: string, project = 'proj-00000001', status: Build['status'] = {}, second = 0): Build => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcBuild',
  metadata: {
    name,
    uid: `uid-${name}`,
    creationTimestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  },
  spec: buildSpec.parse({ app: 'web', project, environment: 'production', repository: 'acme/web', attempt: name }),
  status,
})
