/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { attach } from './attach.ts'
import { buildCancel } from './build-cancel.ts'
import { build } from './build.ts'
import { configDelete } from './config-delete.ts'
import { configRaw } from './config-raw.ts'
import { configSet } from './config-set.ts'
import { create } from './create.ts'
import { deleteApp } from './delete.ts'
import { deploy } from './deploy.ts'
import { deploymentLogs } from './deployment-logs.ts'
import { deployments } from './deployments.ts'
import { displayName } from './display-name.ts'
import { envDelete } from './env-delete.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { logsStream } from './logs-stream.ts'
import { logs } from './logs.ts'
import { metrics } from './metrics.ts'
import { networkingDelete } from './networking-delete.ts'
import { retryProvision } from './retry-provision.ts'
import { rollback } from './rollback.ts'
import { runtime } from './runtime.ts'
import { scale } from './scale.ts'
import { secretsDelete } from './secrets-delete.ts'
import { secretsSet } from './secrets-set.ts'
import { sharedVariablesSave } from './shared-variables-save.ts'
import { status } from './status.ts'
import { update } from './update.ts'
import { variables } from './variables.ts'

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
    'apps.metrics': metrics(needs),
    'apps.display-name': displayName(needs),
    'apps.attach': attach(needs),
    'apps.networking-delete': networkingDelete(needs),
    'apps.shared-variables-save': sharedVariablesSave(needs),
    'apps.config-raw': configRaw(needs),
    'apps.env-delete': envDelete(needs),
  }) satisfies HandlerTable<OperationsOf<'apps'>>
