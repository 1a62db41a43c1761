/** How a service is scaled, probed, built and reached: the nested settings of its spec. */
import { z } from 'zod'
import {
  buildVariablesMax,
  idleSeconds,
  probeFailures,
  probeSeconds,
  replicas,
  servicePort,
  targetCpuPercent,
  hostNameMax,
} from '../../../contract/limits.ts'
import { absolutePath, hostName, orEmpty } from '../../../contract/fields/patterns.ts'
import { keptPaths } from '../../../contract/fields/words.ts'
import { imageMax, pathMax, shortListMax } from '../../meta/bounds.ts'
import { asSet, nameRef, notActedOn, quantity, rules, variableName } from '../../schema/fields.ts'

export const port = z.int().min(servicePort.min).max(servicePort.max)
const ingressHost = z.string().max(hostNameMax).regex(orEmpty(hostName))
const urlPath = z.string().max(pathMax).regex(/^\//)

export const ingress = z
  .object({
    host: ingressHost.default('').meta({ description: 'Public host name; empty means none was chosen.' }),
    path: urlPath.default('/').meta({ description: 'Path prefix that is served.' }),
    tlsEnabled: z.boolean().default(false).meta({ description: 'Serve HTTPS with a certificate of its own.' }),
    dnsVerification: z.boolean().default(false).meta(notActedOn),
    rules: z
      .array(
        z.object({
          host: ingressHost.min(1).meta({ description: 'Host name.' }),
          path: urlPath.default('/').meta({ description: 'Path prefix.' }),
        }),
      )
      .max(shortListMax)
      .default([])
      .meta({ description: 'Further hosts and paths.' }),
  })
  .prefault({})
  .meta({ description: 'How the service is reached from outside.' })

const seconds = z.int().min(probeSeconds.min).max(probeSeconds.max)

export const probe = z.object({
  path: urlPath.default('/').meta({ description: 'Path asked by HTTP GET.' }),
  port: port.optional().meta({ description: 'Port asked; the port of the service when left out.' }),
  periodSeconds: seconds.default(probeSeconds.period).meta({ description: 'Seconds between two asks.' }),
  timeoutSeconds: seconds.default(probeSeconds.timeout).meta({ description: 'Seconds an answer may take.' }),
  failureThreshold: z
    .int()
    .min(probeFailures.min)
    .max(probeFailures.max)
    .default(probeFailures.default)
    .meta({ description: 'Failures in a row that count.' }),
})

export const deploy = z
  .object({
    enabled: z
      .boolean()
      .default(false)
      .meta({ description: 'True once deployed; false is a draft that nothing is made for.' }),
    readinessProbe: probe.optional().meta({ description: 'A copy gets requests while this answers.' }),
    livenessProbe: probe.optional().meta({ description: 'A copy is restarted when this stops answering.' }),
    startupProbe: probe.optional().meta({ description: 'The other probes wait until this has answered once.' }),
    failureThreshold: z
      .int()
      .min(probeFailures.min)
      .max(probeFailures.max)
      .optional()
      .meta({ description: 'Restarts of a new copy after which a deploy has failed.' }),
    rollbackOnFailure: z.boolean().default(false).meta({
      description:
        'Deploy the last release that was up again when a deploy fails; off, a failed deploy stays as it is for a look at it.',
    }),
  })
  .prefault({})
  .meta({ description: 'Whether and how the service is deployed.' })

const copies = z.int().min(replicas.min).max(replicas.max)

export const autoscaling = z
  .object({
    minReplicas: copies.min(1).default(1).meta({ description: 'Fewest copies.' }),
    maxReplicas: copies.min(1).default(3).meta({ description: 'Most copies.' }),
    targetCPUUtilization: z
      .int()
      .min(targetCpuPercent.min)
      .max(targetCpuPercent.max)
      .default(targetCpuPercent.default)
      .meta({ description: 'Average CPU use aimed at, in percent of the request.' }),
  })
  .meta({
    description: 'Scales the copies with CPU use; on when set.',
    ...rules({ rule: 'self.minReplicas <= self.maxReplicas', message: 'minReplicas must not exceed maxReplicas' }),
  })

export const scaleToZero = z
  .object({
    enabled: z.boolean().default(false).meta({ description: 'Sleep when no request has come for a while.' }),
    idleSeconds: z
      .int()
      .min(idleSeconds.min)
      .max(idleSeconds.max)
      .default(idleSeconds.default)
      .meta({ description: 'Seconds without a request before it sleeps.' }),
    maxReplicas: copies.min(1).optional().meta({ description: 'Most copies while awake.' }),
  })
  .prefault({})
  .meta({ description: 'Sleep-when-idle.' })

/** What a volume rules out, in the same words for callers and for kubectl. */
export const volumeRefusals = {
  function: 'a function cannot have a volume',
  copies: 'a service with a volume runs one copy: replicas and scaleToZeroMax are at most 1, and autoscaling is off',
} as const

export const volume = z
  .object({
    path: z
      .string()
      .max(pathMax)
      .regex(absolutePath)
      .meta({
        description: 'Where it is in the container.',
        ...rules({
          rule: `![${keptPaths.map((kept) => `'${kept}'`).join(', ')}].exists(kept, (self + '/').startsWith(kept + '/'))`,
          message: `must not be in ${keptPaths.join(', ')}`,
        }),
      }),
    size: quantity.meta({ description: 'Its size, as 10Gi; it never shrinks.' }),
  })
  .meta({ description: 'A volume that keeps its data from deploy to deploy; one copy has it at a time.' })

export const build = z.object({
  command: z
    .array(z.string().max(pathMax))
    .max(shortListMax)
    .optional()
    .meta({ description: 'Entry point of the container instead of the one of the image.' }),
  args: z
    .array(z.string().max(pathMax))
    .max(shortListMax)
    .optional()
    .meta({ description: 'Arguments of the entry point.' }),
  workingDir: z.string().max(pathMax).optional().meta({ description: 'Folder the container starts in.' }),
  registry: z
    .object({
      repository: z.string().max(imageMax).optional().meta({ description: 'Where built images are pushed.' }),
      credentialRef: nameRef.optional().meta({ description: 'Secret with the key .dockerconfigjson.' }),
    })
    .optional()
    .meta({ description: 'Registry of this service; the platform registry when left out.' }),
  variables: z
    .array(variableName)
    .max(buildVariablesMax)
    .optional()
    .meta({ description: 'Variables of the service that its builds get.', ...asSet }),
  cache: z.boolean().default(true).meta({ description: 'Reuse layers of earlier builds.' }),
})

/** The build section of a service that has none. */
export const noBuild: z.output<typeof build> = { cache: true }
