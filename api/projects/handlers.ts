/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { backupStorage } from './backup-storage.ts'
import { complianceSave } from './compliance-save.ts'
import { compliance } from './compliance.ts'
import { create } from './create.ts'
import { deploy } from './deploy.ts'
import { environmentsArchive } from './environments-archive.ts'
import { environmentsCreate } from './environments-create.ts'
import { get } from './get.ts'
import { githostDisconnect } from './githost-disconnect.ts'
import { githostInstall } from './githost-install.ts'
import { githostRepos } from './githost-repos.ts'
import { list } from './list.ts'
import { logs } from './logs.ts'
import { logsHistory } from './logs-history.ts'
import { logsStream } from './logs-stream.ts'
import { network } from './network.ts'
import { prEnvironmentsClose } from './pr-environments-close.ts'
import { prEnvironmentsSave } from './pr-environments-save.ts'
import { metrics } from './metrics.ts'
import { settingsDelete } from './settings-delete.ts'
import { settingsSave } from './settings-save.ts'
import { variablesDelete } from './variables-delete.ts'
import { variablesSave } from './variables-save.ts'
import { webhooksDelete } from './webhooks-delete.ts'
import { webhooksRotate } from './webhooks-rotate.ts'
import { webhooksSave } from './webhooks-save.ts'
import { webhooksTest } from './webhooks-test.ts'

export const projectHandlers = (needs: Needs) =>
  ({
    'projects.list': list(needs),
    'projects.create': create(needs),
    'projects.get': get(needs),
    'projects.settings-save': settingsSave(needs),
    'projects.settings-delete': settingsDelete(needs),
    'projects.deploy': deploy(needs),
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
    'projects.compliance-save': complianceSave(needs),
    'projects.compliance': compliance(needs),
    'projects.network': network(needs),
    'projects.pr-environments-save': prEnvironmentsSave(needs),
    'projects.pr-environments-close': prEnvironmentsClose(needs),
    'projects.backup-storage': backupStorage(needs),
    'projects.githost-install': githostInstall(needs),
    'projects.githost-disconnect': githostDisconnect(needs),
    'projects.githost-repos': githostRepos(needs),
  }) satisfies HandlerTable<OperationsOf<'projects'>>
