/**
 * The addons of a fresh cluster: cluster DNS, storage and the rights of the node's own servers, from YAML files beside
 * this one.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { KubeConfig, KubernetesObjectApi, PatchStrategy, type KubernetesObject } from '@kubernetes/client-node'
import { parseAllDocuments } from 'yaml'

/** Applies one of the YAML files of this folder. */
export const applyAddons = (kubeconfig: string, file: string, values: Record<string, string>): Promise<void> =>
  applyObjects(kubeconfig, join(import.meta.dirname, file), values)

/**
 * Applies the objects of a YAML file by a repeatable server-side apply, with its `{{NAME}}` places filled in. Throws
 * when a place has no value.
 */
export async function applyObjects(kubeconfig: string, file: string, values: Record<string, string>): Promise<void> {
  const text = await readFile(file, 'utf8')
  const filled = text.replaceAll(/\{\{([A-Z_]+)\}\}/g, (_place, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`${file} asks for ${name}, which has no value`)
    return value
  })
  const config = new KubeConfig()
  config.loadFromFile(kubeconfig)
  const api = KubernetesObjectApi.makeApiClient(config)
  for (const document of parseAllDocuments(filled)) {
    const object = document.toJS() as KubernetesObject // our own file
    await api.patch(object, undefined, undefined, 'svc-local', true, PatchStrategy.ServerSideApply)
  }
}
