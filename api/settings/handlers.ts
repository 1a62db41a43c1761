/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { dnsProvider } from './dns-provider.ts'
import { dnsProviderClear } from './dns-provider-clear.ts'
import { dnsProviderSave } from './dns-provider-save.ts'
import { domain } from './domain.ts'
import { domainClear } from './domain-clear.ts'
import { domainSave } from './domain-save.ts'
import { githost } from './githost.ts'
import { githostClear } from './githost-clear.ts'
import { githostSave } from './githost-save.ts'
import { registry } from './registry.ts'
import { registryClear } from './registry-clear.ts'
import { registrySave } from './registry-save.ts'

export const settingsHandlers = (needs: Needs) =>
  ({
    'settings.registry': registry(needs),
    'settings.registry-save': registrySave(needs),
    'settings.registry-clear': registryClear(needs),
    'settings.domain': domain(needs),
    'settings.domain-save': domainSave(needs),
    'settings.domain-clear': domainClear(needs),
    'settings.dns-provider': dnsProvider(needs),
    'settings.dns-provider-save': dnsProviderSave(needs),
    'settings.dns-provider-clear': dnsProviderClear(needs),
    'settings.githost': githost(needs),
    'settings.githost-save': githostSave(needs),
    'settings.githost-clear': githostClear(needs),
  }) satisfies HandlerTable<OperationsOf<'settings'>>
