/** Which handler serves each operation on projects. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { connections } from './connections.ts'
import {
  deploy,
  environmentsArchive,
  environmentsCreate,
  prEnvironmentsAllow,
  prEnvironmentsClose,
  prEnvironmentsSave,
} from './environments.ts'
import { githostDisconnect, githostInstall, githostRepos } from './githost.ts'
import { logs, logsHistory, logsStream, metrics } from './observe.ts'
import { capacity } from './capacity.ts'
import { pending } from './pending.ts'
import { create, get, list, settingsDelete, settingsSave } from './project.ts'
import {
  backupStorage,
  compliance,
  complianceSave,
  network,
  placementWarnings,
  variablesDelete,
  variablesSave,
} from './settings.ts'
import { webhooksDelete, webhooksRedeliver, webhooksRotate, webhooksSave, webhooksTest } from './webhooks.ts'

export const projectHandlers = (needs: Needs) =>
  ({
    'projects.list': list(needs),
    'projects.create': create(needs),
    'projects.get': get(needs),
    'projects.settings-save': settingsSave(needs),
    'projects.settings-delete': settingsDelete(needs),
    'projects.deploy': deploy(needs),
    'projects.pending': pending(needs),
    'projects.capacity': capacity(needs),
    'projects.connections': connections(needs),
    'projects.environments-create': environmentsCreate(needs),
    'projects.environments-archive': environmentsArchive(needs),
    'projects.logs': logs(needs),
    'projects.logs-stream': logsStream(needs),
    'projects.logs-history': logsHistory(needs),
    'projects.metrics': metrics(needs),
    'projects.variables-save': variablesSave(needs),
    'projects.variables-delete': variablesDelete(needs),
    'projects.webhooks-save': webhooksSave(needs),
    'projects.webhooks-delete': webhooksDelete(needs),
    'projects.webhooks-rotate': webhooksRotate(needs),
    'projects.webhooks-test': webhooksTest(needs),
    'projects.webhooks-redeliver': webhooksRedeliver(needs),
    'projects.compliance-save': complianceSave(needs),
    'projects.compliance': compliance(needs),
    'projects.placement-warnings': placementWarnings(needs),
    'projects.network': network(needs),
    'projects.pr-environments-save': prEnvironmentsSave(needs),
    'projects.pr-environments-close': prEnvironmentsClose(needs),
    'projects.pr-environments-allow': prEnvironmentsAllow(needs),
    'projects.backup-storage': backupStorage(needs),
    'projects.githost-install': githostInstall(needs),
    'projects.githost-disconnect': githostDisconnect(needs),
    'projects.githost-repos': githostRepos(needs),
  }) satisfies HandlerTable<OperationsOf<'projects'>>
