/** What callers read about the platform itself: who they are, and everything a dashboard starts from. */
import { z } from 'zod'
import { workspaceRoles } from '../fields/words.ts'

/** The line of the API that this release speaks (docs/reference/conventions.md). */
export const apiLine = 'v1'

export const versionView = z.object({ api: z.literal(apiLine), name: z.string() })

export const meView = z.object({
  username: z.string(),
  role: z.enum([...workspaceRoles, 'project']),
  canMutate: z.boolean(),
  canReadSensitive: z.boolean(),
  authentication: z.enum(['session', 'token']),
  scope: z.enum(['workspace', 'project']).optional(),
  expiresAt: z.string().nullable().optional(),
  project: z.string().optional(),
  environment: z.string().optional(),
})

/** `items` is null when there are none; oldest first; secrets never included. */
const resources = z.object({
  items: z.array(z.object({ metadata: z.unknown(), spec: z.unknown(), status: z.unknown() })).nullable(),
})

const capacity = z.object({
  cpuAllocatableMillis: z.number(),
  cpuFreeMillis: z.number(),
  memoryAllocatableBytes: z.number(),
  memoryFreeBytes: z.number(),
})

/** The summary of the platform that the dashboard shows before any resource. */
export const platformSummary = z.object({
  hasDashboardURL: z.boolean(),
  hasGitHubApp: z.boolean(),
  hasCloudflare: z.boolean(),
  cloudflareReady: z.boolean(),
  dashboardURL: z.string(),
  haReady: z.boolean(),
  healthyNodes: z.number(),
  awsAvailable: z.boolean(),
  planetScaleAvailable: z.boolean(),
  minioAvailable: z.boolean(),
  /** Null while the nodes could not be read. */
  capacity: capacity.nullable(),
  defaultRegion: z.string(),
  storageExpandable: z.boolean(),
  fixedSizeDatabases: z.boolean(),
  defaultStorage: z.string(),
  session: meView,
  /** Admins only; empty while no zone is known. */
  cloudflareZoneId: z.string().optional(),
  cloudflareZoneName: z.string().optional(),
})

export const bootstrapView = z.object({
  projects: resources,
  apps: resources,
  databases: resources,
  logicalDatabases: resources,
  objectStores: resources,
  deployments: resources,
  builds: resources,
  clusters: resources,
  haReadiness: resources,
  backupArchives: resources,
  cloudConnections: resources,
  platformConfig: resources,
  platform: platformSummary,
  metrics: z.object({ runningPods: z.number(), nodes: z.number(), cpuCores: z.number().nullable() }),
})

/** `message` is a sentence; to callers who may not change things it says no more than that there is trouble. */
const platformWarning = z.object({
  about: z.enum(['capacity', 'domain', 'dns', 'high-availability']),
  message: z.string(),
})

export type PlatformWarning = z.output<typeof platformWarning>

export const platformWarningsView = z.object({ items: z.array(platformWarning) })

/** A backup of what svc itself keeps. `file` is the file in base64: JSON lines, gzip, age. */
export const platformBackupView = z.object({
  id: z.string(),
  at: z.string(),
  file: z.string(),
  sha256: z.string().meta({ description: 'Of the file, in hexadecimal digits.' }),
  entries: z.number(),
})

/** What became of the entries of one request. */
export const restoredPart = z.object({
  written: z.number(),
  there: z.number().meta({ description: 'Already there from this backup, and left alone.' }),
  refused: z.array(z.object({ kind: z.string(), name: z.string(), error: z.string() })),
  notes: z.array(z.string()).meta({ description: 'What is left to do by hand, or to know.' }),
})
