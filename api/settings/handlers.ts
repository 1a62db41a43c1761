/** Which handler serves each operation on the settings of the platform. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { dnsProvider, dnsProviderClear, dnsProviderSave } from './dns-provider.ts'
import { domain, domainClear, domainSave } from './domain.ts'
import { githost, githostClear, githostSave } from './githost.ts'
import { registry, registryClear, registrySave } from './registry.ts'

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
