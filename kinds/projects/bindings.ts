/**
 * The RoleBindings that let svc's two processes work in the namespace of an environment, one each, to the ClusterRoles
 * of crds/rbac.yaml.
 */
import type { V1RoleBinding } from '@kubernetes/client-node'
import { labels } from '../meta/annotations.ts'
import { systemNamespace } from '../meta/group.ts'

const rbac = 'rbac.authorization.k8s.io'

/** The service account, which is also the name of the binding, and its ClusterRole. */
const bound = [
  ['svc-worker', 'svc-worker-environment'],
  ['svc-api', 'svc-api-environment'],
] as const

/** @param carried labels of the namespace; those that show its owner are copied */
export function environmentBindings(namespace: string, carried: Readonly<Record<string, string>>) {
  const own = [labels.managedBy, labels.project, labels.environment, labels.owner].flatMap((key) => {
    const value = carried[key]
    return value === undefined ? [] : [[key, value] as const]
  })
  return bound.map(
    ([account, role]) =>
      ({
        apiVersion: `${rbac}/v1`,
        kind: 'RoleBinding',
        metadata: { name: account, namespace, labels: Object.fromEntries(own) },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
        subjects: [{ kind: 'ServiceAccount', name: account, namespace: systemNamespace }],
      }) satisfies V1RoleBinding,
  )
}

/** Whether a live binding gives exactly these rights to exactly this account. */
export function binds(
  live: Pick<V1RoleBinding, 'roleRef' | 'subjects'>,
  wanted: ReturnType<typeof environmentBindings>[number],
): boolean {
  const [subject, ...others] = live.subjects ?? []
  const [account] = wanted.subjects
  return (
    live.roleRef.kind === 'ClusterRole' &&
    live.roleRef.name === wanted.roleRef.name &&
    others.length === 0 &&
    subject?.kind === account?.kind &&
    subject?.name === account?.name &&
    subject?.namespace === account?.namespace
  )
}
