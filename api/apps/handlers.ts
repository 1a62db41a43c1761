/** Which handler serves each operation on services. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { openConsole } from './console.ts'
import { copies } from './copies.ts'
import { deploymentChanges } from './deployment-changes.ts'
import { builds } from './builds.ts'
import { deploymentLogs, deploymentLogsStream } from './deployment-logs.ts'
import { build, buildCancel, deploy, deployments, retryProvision, rollback } from './deploys.ts'
import { deployKey, deployKeyDelete, deployKeyRotate } from './deploy-key.ts'
import { gitWebhook, gitWebhookRotate } from './git-webhook.ts'
import { invoke } from './invoke.ts'
import { get, list, logs, logsStream, metrics, runtime, status } from './observe.ts'
import { discard, pending } from './pending.ts'
import { scheduleRun, schedules } from './schedules.ts'
import { create, deleteApp, displayName, networkingDelete, scale, update } from './service.ts'
import {
  attach,
  configDelete,
  configRaw,
  configSet,
  envDelete,
  secretsDelete,
  secretsSet,
  sharedVariablesSave,
  variables,
} from './variables.ts'

export const appHandlers = (needs: Needs) =>
  ({
    'apps.list': list(needs),
    'apps.create': create(needs),
    'apps.get': get(needs),
    'apps.update': update(needs),
    'apps.delete': deleteApp(needs),
    'apps.status': status(needs),
    'apps.deployments': deployments(needs),
    'apps.deployment-logs': deploymentLogs(needs),
    'apps.builds': builds(needs),
    'apps.deployment-logs-stream': deploymentLogsStream(needs),
    'apps.deployment-changes': deploymentChanges(needs),
    'apps.copies': copies(needs),
    'apps.pending': pending(needs),
    'apps.schedules': schedules(needs),
    'apps.schedule-run': scheduleRun(needs),
    'apps.invoke': invoke(needs),
    'apps.git-webhook': gitWebhook(needs),
    'apps.git-webhook-rotate': gitWebhookRotate(needs),
    'apps.deploy-key': deployKey(needs),
    'apps.deploy-key-rotate': deployKeyRotate(needs),
    'apps.deploy-key-delete': deployKeyDelete(needs),
    'apps.discard': discard(needs),
    'apps.deploy': deploy(needs),
    'apps.scale': scale(needs),
    'apps.rollback': rollback(needs),
    'apps.build': build(needs),
    'apps.build-cancel': buildCancel(needs),
    'apps.retry-provision': retryProvision(needs),
    'apps.config-set': configSet(needs),
    'apps.config-delete': configDelete(needs),
    'apps.secrets-set': secretsSet(needs),
    'apps.secrets-delete': secretsDelete(needs),
    'apps.variables': variables(needs),
    'apps.logs': logs(needs),
    'apps.logs-stream': logsStream(needs),
    'apps.runtime': runtime(needs),
    'apps.console': openConsole(needs),
    'apps.metrics': metrics(needs),
    'apps.display-name': displayName(needs),
    'apps.attach': attach(needs),
    'apps.networking-delete': networkingDelete(needs),
    'apps.shared-variables-save': sharedVariablesSave(needs),
    'apps.config-raw': configRaw(needs),
    'apps.env-delete': envDelete(needs),
  }) satisfies HandlerTable<OperationsOf<'apps'>>
