/** SvcPlatformConfig, exactly one named `platform`: domain, DNS provider, git host, registry. */
import { z } from 'zod'
import { hostNameMax } from '../../contract/limits.ts'
import { domainName, httpsOrigin } from '../../contract/fields/patterns.ts'
import { imageMax, urlMax } from '../meta/bounds.ts'
import type { KindDefinition } from '../schema/definition.ts'
import { nameRef, notActedOn, reconciledStatus, time } from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'

export const platformConfigSpec = z.object({
  rootDomain: z.string().max(hostNameMax).regex(domainName).optional().meta({
    description: 'Domain services get their hosts under; taken from dashboardURL when its host starts with svc.',
  }),
  dashboardURL: z
    .string()
    .max(urlMax)
    .regex(httpsOrigin)
    .optional()
    .meta({ description: 'Address of the dashboard without a path; https://svc.<rootDomain> when left out.' }),
  dashboardExposure: z
    .enum(['ingress', 'cloudflare-tunnel'])
    .default('ingress')
    .meta({ description: 'How the dashboard is reached.' }),
  tunnelCNAMETarget: z
    .string()
    .max(hostNameMax)
    .regex(domainName)
    .optional()
    .meta({ description: 'Host name of the tunnel; set by the platform when it manages the tunnel.' }),
  cloudflareConnectionRef: nameRef.optional().meta({
    description: 'Secret with apiToken, accountId, optional zoneName and zones; setting it turns the DNS provider on.',
  }),
  cloudflareZoneID: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'DNS zone for automatic records; the matching or only zone when left out.' }),
  githubAppRef: nameRef
    .optional()
    .meta({ description: 'Secret with app_id, client_id, client_secret, slug, private_key and webhook_secret.' }),
  prometheusURL: z.string().max(urlMax).optional().meta({ description: 'Address metrics are queried at.' }),
  defaultClusterRef: nameRef.optional().meta(notActedOn),
  registry: z
    .object({
      repository: z
        .string()
        .max(imageMax)
        .optional()
        .meta({ description: 'Where builds are pushed when a service names no place; used as written.' }),
      credentialRef: nameRef.optional().meta({ description: 'Secret with the key .dockerconfigjson.' }),
    })
    .optional()
    .meta({ description: 'Registry of the platform.' }),
  defaultDomain: z.string().max(hostNameMax).optional().meta(notActedOn),
  traefikAccessLogs: z
    .object({ enabled: z.boolean().optional().meta(notActedOn) })
    .optional()
    .meta(notActedOn),
})

export const platformConfigStatus = z.object({
  ...reconciledStatus,
  cloudflareTunnelID: z.string().optional().meta({ description: 'Tunnel the platform manages.' }),
  dns: z
    .object({
      zoneID: z.string().optional().meta({ description: 'Zone that records are made in.' }),
      zoneName: z.string().optional().meta({ description: 'Its domain.' }),
      zoneRequired: z.boolean().optional().meta({ description: 'True while several zones fit and none is chosen.' }),
      notBefore: time
        .optional()
        .meta({ description: 'When the DNS provider wants to be asked again at the earliest.', format: 'date-time' }),
    })
    .optional()
    .meta({ description: 'What is known of the DNS provider.' }),
  domainCheck: z
    .object({
      generation: z.int().meta({ description: 'The metadata.generation that is being verified.' }),
      since: time.meta({ description: 'When that began.', format: 'date-time' }),
    })
    .optional()
    .meta({ description: 'The verification of the dashboard address that is going on.' }),
})

export type PlatformConfigSpec = z.output<typeof platformConfigSpec>
export type PlatformConfigStatus = z.output<typeof platformConfigStatus>
export type PlatformConfig = Resource<PlatformConfigSpec, PlatformConfigStatus>

export const platformConfigKind = {
  type: resourceTypes.platformConfig,
  singular: 'svcplatformconfig',
  shortNames: ['splat'],
  description: 'Settings of the platform; exactly one, named platform.',
  spec: platformConfigSpec,
  status: platformConfigStatus,
  statusSubresource: true,
  columns: [
    { name: 'Domain', path: '.spec.rootDomain' },
    { name: 'Dashboard', path: ".status.conditions[?(@.type=='DashboardDomainReady')].status" },
    { name: 'DNS provider', path: ".status.conditions[?(@.type=='CloudflareReady')].status" },
    { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
  ],
  rules: [{ rule: "self.metadata.name == 'platform'", message: 'the platform configuration must be named platform' }],
} satisfies KindDefinition
