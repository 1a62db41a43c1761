/**
 * KEDA itself for a test on a real node: its operator, its metrics server and the scaler of its HTTP add-on, built from
 * their own modules, as processes of this machine with the rights of the cluster's admin. The interceptor is the pod
 * that `npm start -- --serverless` brings.
 */
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connectCluster } from '../../../cluster/client.ts'
import { installCrds, parseCrds } from '../../../cluster/install-crds.ts'
import { applyObjects } from '../../../one-machine/node/addons.ts'
import { kubeconfigPath } from '../../../one-machine/node/certificates.ts'
import type { NodeNetwork } from '../../../one-machine/node/network.ts'
import { answers } from '../../../one-machine/processes/answers.ts'
import { createSupervisor, freePort } from '../../../one-machine/processes/index.ts'
import { testServer } from '../../harness/servers.ts'

const run = promisify(execFile)
const module = fileURLToPath(new URL('../../../one-machine/servers/modules/keda', import.meta.url))
const loopback = '127.0.0.1'
const namespace = 'keda'
/** By which the metrics server knows the operator. */
const operatorName = `keda-operator.${namespace}.svc.cluster.local`
const metricsName = `keda-metrics-apiserver.${namespace}.svc`

export interface Keda {
  /** `host:port` of the add-on's scaler, for KEDA's triggers. */
  readonly scaler: string
  /** Resolves when all three answer. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** KEDA's own kinds, from the module that its operator is built of. */
export async function installKedaKinds(nodeDir: string): Promise<void> {
  const asked = ['list', '-mod=mod', '-m', '-f', '{{.Dir}}', 'github.com/kedacore/keda/v2']
  await run('go', ['mod', 'download', 'github.com/kedacore/keda/v2'], { cwd: module })
  const { stdout } = await run('go', asked, { cwd: module })
  const folder = join(stdout.trim(), 'config/crd/bases')
  const texts = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')))
  const client = connectCluster({ kubeconfig: kubeconfigPath(nodeDir, 'admin') })
  try {
    await installCrds(client, texts.flatMap(parseCrds), { manager: 'keda' })
  } finally {
    await client.close()
  }
}

/** @param folder for certificates and logs */
export async function createKeda(nodeDir: string, network: NodeNetwork, folder: string): Promise<Keda> {
  await mkdir(folder, { recursive: true })
  const [operator, metrics, scaler] = await Promise.all(
    (['keda-operator', 'keda-metrics', 'keda-http-scaler'] as const).map(testServer),
  )
  if (operator === undefined || metrics === undefined || scaler === undefined) throw new Error('a program is missing')
  const [health, grpc, counted, secure, scalerPort] = await Promise.all(Array.from({ length: 5 }, freePort))
  const certificates = await certificatesIn(folder, join(nodeDir, 'pki'))
  const supervisor = createSupervisor(join(folder, 'run.json'))
  const kubeconfig = kubeconfigPath(nodeDir, 'admin')
  const env = { KUBECONFIG: kubeconfig, WATCH_NAMESPACE: '', POD_NAMESPACE: namespace }
  const logFile = (name: string): string => join(folder, `${name}.log`)
  return {
    scaler: `${loopback}:${scalerPort}`,
    async start() {
      const authority = (await readFile(certificates.authority)).toString('base64')
      const values = { METRICS_PORT: String(secure), HOST_ADDRESS: network.hostAddress, AUTHORITY: authority }
      await applyObjects(kubeconfig, join(import.meta.dirname, 'keda-objects.yaml'), values)
      await supervisor.start({
        name: 'keda-http-scaler',
        command: scaler,
        args: [],
        env: {
          ...env,
          KEDA_HTTP_SCALER_PORT: String(scalerPort),
          KEDA_HTTP_SCALER_TARGET_ADMIN_NAMESPACE: namespace,
          KEDA_HTTP_SCALER_TARGET_ADMIN_SERVICE: 'keda-add-ons-http-interceptor-proxy',
          KEDA_HTTP_SCALER_TARGET_ADMIN_DEPLOYMENT: 'interceptor',
          KEDA_HTTP_SCALER_TARGET_ADMIN_PORT: '9090',
          OTEL_PROM_EXPORTER_ENABLED: 'false',
        },
        logFile: logFile('scaler'),
      })
      await supervisor.start({
        name: 'keda-operator',
        command: operator,
        args: [
          `--metrics-bind-address=0`,
          `--health-probe-bind-address=${loopback}:${health}`,
          `--metrics-service-bind-address=${loopback}:${grpc}`,
          `--cert-dir=${certificates.folder}`,
        ],
        env: { ...env, KEDA_CLUSTER_OBJECT_NAMESPACE: namespace },
        logFile: logFile('operator'),
        ready: () => answers(`http://${loopback}:${health}/readyz`),
      })
      await supervisor.start({
        name: 'keda-metrics',
        command: metrics,
        args: [
          `--bind-address=${network.hostAddress}`,
          `--secure-port=${secure}`,
          `--port=${counted}`,
          `--metrics-service-address=${loopback}:${grpc}`,
          `--metrics-service-grpc-authority=${operatorName}`,
          `--cert-dir=${certificates.folder}`,
          `--tls-cert-file=${certificates.cert}`,
          `--tls-private-key-file=${certificates.key}`,
          `--lister-kubeconfig=${kubeconfig}`,
          `--authentication-kubeconfig=${kubeconfig}`,
          `--authorization-kubeconfig=${kubeconfig}`,
        ],
        env,
        logFile: logFile('metrics'),
      })
    },
    stop: () => supervisor.stop('together'),
  }
}

/** One certificate for both of KEDA's servers, signed by the node's own authority. */
async function certificatesIn(folder: string, pki: string) {
  const [authority, cert, key] = ['ca.crt', 'tls.crt', 'tls.key'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ] // three names, three files
  await writeFile(authority, await readFile(join(pki, 'ca.crt')))
  const names = `subjectAltName=DNS:${operatorName},DNS:${metricsName}`
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
  const signed = ['-CA', join(pki, 'ca.crt'), '-CAkey', join(pki, 'ca.key'), '-days', '2', '-out', cert]
  const uses = ['-addext', names, '-addext', 'extendedKeyUsage=serverAuth,clientAuth']
  await run('openssl', ['req', '-x509', ...newKey, ...signed, '-subj', '/CN=keda', ...uses])
  return { folder, authority, cert, key }
}
