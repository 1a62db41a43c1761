/**
 * The accounts and roles of the api and the worker (crds/rbac.yaml), and the policies that confine them and others
 * (admission.yaml, network.yaml).
 */
import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import type { ClusterClient } from '../cluster/client.ts'
import type { KubeObject } from '../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../cluster/objects/resource-type.ts'

const files = ['rbac.yaml', 'admission.yaml', 'network.yaml']

const rbac = (kind: string, plural: string, namespaced: boolean): ResourceType => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced,
})

const admission = (kind: string, plural: string): ResourceType => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: false,
})

const types = new Map<string, ResourceType>([
  ['ServiceAccount', coreTypes.serviceAccount],
  ['Role', rbac('Role', 'roles', true)],
  ['ClusterRole', rbac('ClusterRole', 'clusterroles', false)],
  ['RoleBinding', rbac('RoleBinding', 'rolebindings', true)],
  ['ClusterRoleBinding', rbac('ClusterRoleBinding', 'clusterrolebindings', false)],
  ['NetworkPolicy', coreTypes.networkPolicy],
  ['ValidatingAdmissionPolicy', admission('ValidatingAdmissionPolicy', 'validatingadmissionpolicies')],
  [
    'ValidatingAdmissionPolicyBinding',
    admission('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'),
  ],
])

/** Applies every object of the files; safe to repeat. The namespace svc-system must exist. */
export async function installRoles(client: ClusterClient): Promise<void> {
  for (const file of files) {
    const text = readFileSync(new URL(`../crds/${file}`, import.meta.url), 'utf8')
    for (const document of parseAllDocuments(text)) {
      const object = document.toJS() as KubeObject // our own file, whose kinds are checked below
      const type = types.get(object.kind)
      if (type === undefined) throw new Error(`crds/${file} holds a ${object.kind}, which is none of their kinds`)
      await client.apply(type, object, { manager: 'svc-install', force: true })
    }
  }
}
