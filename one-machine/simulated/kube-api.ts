/** The few requests that the simulated cluster needs first: a readiness check and a server-side apply. */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'undici'
import { defined } from '../../contract/defined.ts'

export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string } & Record<string, unknown>
  readonly [field: string]: unknown
}

export interface KubeApi {
  isReady(): Promise<boolean>
  /** Server-side apply, with the path of the collection, such as `/api/v1/nodes`. */
  apply(collection: string, object: KubeObject): Promise<void>
  countReadyNodes(): Promise<number>
  close(): Promise<void>
}

interface Node {
  status?: { conditions?: { type: string; status: string }[] }
}

function isReady(node: Node): boolean {
  return (
    node.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false
  )
}

/** Connects to https://127.0.0.1:port with the certificate that the server generated and an admin's token. */
export function createKubeApi(port: number, certificateFile: string, token: string): KubeApi {
  let agent: Agent | undefined
  const call = (method: 'GET' | 'PATCH', path: string, body?: string) => {
    agent ??= new Agent({ connect: { ca: readFileSync(certificateFile) } })
    return request(`https://127.0.0.1:${port}${path}`, {
      method,
      dispatcher: agent,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/apply-patch+yaml' },
      ...defined({ body }),
    })
  }
  return {
    async isReady() {
      try {
        const { statusCode, body } = await call('GET', '/readyz')
        await body.dump()
        return statusCode === 200
      } catch {
        // No certificate yet, only a part of it, or no listener: the next try reads the file again.
        const failed = agent
        agent = undefined
        await failed?.destroy()
        return false
      }
    },
    async apply(collection, object) {
      const path = `${collection}/${object.metadata.name}?fieldManager=svc-local&force=true`
      const { statusCode, body } = await call('PATCH', path, JSON.stringify(object))
      const answer = await body.text()
      if (statusCode >= 300) throw new Error(`the cluster refused ${object.kind} ${object.metadata.name}: ${answer}`)
    },
    async countReadyNodes() {
      const { body } = await call('GET', '/api/v1/nodes')
      const list = (await body.json()) as { items: Node[] }
      return list.items.filter(isReady).length
    },
    close: async () => agent?.close(),
  }
}
