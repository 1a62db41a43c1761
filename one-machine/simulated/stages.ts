/** The kwok stages of simulated nodes, completed with the rule for how a pod fails; and what is played of its use. */
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * jq over a pod: none, ends (a pod that exits with code 1 for good), NeverReady, ImagePullBackOff or CrashLoopBackOff.
 * It looks at images too, so that a service can be broken through the public interface alone.
 */
const failureOfPod = [
  '(.metadata.annotations["svc.dev/fail"] // ([(.spec.containers, .spec.initContainers // [])[].image] |',
  'if any(test("(^|/)(broken-image([:@]|$)|does-not-exist)")) then "ImagePullBackOff"',
  'elif any(test("crash")) then "crash" else "none" end)) as $mode |',
  'if $mode != "crash" then $mode elif .spec.restartPolicy == "Never" then "ends" else "CrashLoopBackOff" end',
].join(' ')

/** `kubectl logs` of any simulated container reads this one file; lines in the format of container runtimes. */
function describeLogs(logFile: string): string {
  return JSON.stringify({
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'ClusterLogs',
    metadata: { name: 'container-output' },
    spec: { logs: [{ logsFile: logFile, previousLogsFile: logFile, follow: true }] },
  })
}

/** `kubectl exec` in any simulated container runs the command on this machine, as the user of kwok. */
const execHere = JSON.stringify({
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'ClusterExec',
  metadata: { name: 'on-this-machine' },
  spec: { execs: [{ local: { workDir: '/' } }] },
})

function readStages(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8').replaceAll("'FAILURE'", () =>
    JSON.stringify(failureOfPod),
  )
}

/**
 * Writes kwok's configuration: all stages, the use of pods, the file of container output, and whether commands in
 * containers run.
 */
export function writeStages(configFile: string, logFile: string, exec: boolean): void {
  const parts = [
    readStages('pod-stages.yaml'),
    readStages('node-and-volume-stages.yaml'),
    readStages('usage.yaml'),
    describeLogs(logFile),
    ...(exec ? [execHere] : []),
  ]
  writeFileSync(configFile, parts.join('\n---\n'))
}
