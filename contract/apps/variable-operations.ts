/** Operations on the variables and secrets of a service (docs/reference/variables.md). */
import { z } from 'zod'
import { variableNameMax } from '../limits.ts'
import { anyText, withFieldOptions, list, text, variableName } from '../fields/fields.ts'
import { app, dashboardVerb, ofApp, read, verb } from './verbs.ts'
import * as views from './views.ts'

export const appVariableOperations = {
  'apps.config-set': verb(
    'config/set',
    'Set a plain variable',
    z.object({ app, key: variableName(), value: anyText('value').default('') }),
    views.configView,
  ),
  'apps.config-delete': verb(
    'config/delete',
    'Delete a plain variable',
    z.object({ app, key: variableName() }),
    views.configView,
  ),
  'apps.secrets-set': verb(
    'secrets/set',
    'Set a secret variable',
    z.object({ app, key: variableName(), value: withFieldOptions(anyText('value').default(''), { secret: true }) }),
    views.secretsView,
  ),
  'apps.secrets-delete': verb(
    'secrets/delete',
    'Delete a secret variable',
    z.object({ app, key: variableName() }),
    views.secretsView,
  ),
  'apps.variables': read('variables', 'List the variables of a service', 'observer', ofApp, views.variablesView),
  'apps.shared-variables-save': dashboardVerb(
    'shared-variables/save',
    'Choose the shared variables of a service',
    z.object({ app, sharedVariable: list(variableName(), 'sharedVariable must be a list of names').default([]) }),
    views.pendingView,
  ),
  'apps.config-raw': dashboardVerb(
    'config/raw',
    'Replace all plain variables',
    z.object({ app, config: anyText('config') }),
    views.configView,
    true,
  ),
  'apps.env-delete': dashboardVerb(
    'env/delete',
    'Delete a reference variable',
    z.object({ app, name: withFieldOptions(text('name', { max: variableNameMax }), { aliases: ['key'] }) }),
    views.pendingView,
    true,
  ),
} as const
