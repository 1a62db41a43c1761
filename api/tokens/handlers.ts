/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { create } from './create.ts'
import { deploy } from './deploy.ts'
import { list } from './list.ts'
import { revoke } from './revoke.ts'
import { self } from './self.ts'
import { services } from './services.ts'

export const tokenHandlers = (needs: Needs) =>
  ({
    'tokens.list': list(needs),
    'tokens.create': create(needs),
    'tokens.revoke': revoke(needs),
    'tokens.self': self(needs),
    'tokens.services': services(needs),
    'tokens.deploy': deploy(needs),
  }) satisfies HandlerTable<OperationsOf<'tokens'>>
