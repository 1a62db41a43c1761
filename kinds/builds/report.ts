/** What svc reports of a deploy to the git host (docs/reference/githost.md#reports). */
import { ownContext } from './checks.ts'

/** Names only, since it enters a history; the state of the deploy is read when it is reported. */
export interface ReportRef {
  app: string
  project: string
  environment: string
  /** Name of the deployment record. */
  record: string
  build: string
  /** The repository, as in the record of the build. */
  repository: string
  commit: string
}

/** The state of a deploy for both of GitHub's interfaces: commit statuses and deployments. */
export interface Report {
  status: 'pending' | 'success' | 'failure'
  deployment: 'in_progress' | 'success' | 'failure' | 'inactive'
  /** A sentence for all who see the repository, without the reason of a failure. */
  description: string
  /** Where the service answers; left out where it has no address, or does not run yet. */
  environmentUrl?: string
  /** The service in the dashboard; left out while the platform has no address. */
  logUrl?: string
}

/** Each service has a status of its own on a commit. */
export const contextOf = ({ app }: ReportRef): string => `${ownContext}${app}`

/** A newer deployment makes the older ones of the same name inactive at the git host, so each service has its own. */
export const environmentOf = ({ app, environment }: ReportRef): string => `${environment}/${app}`
