/** `svc apps`, and those of its verbs that can also be said without it (`svc deploy`). */
import { Command } from 'commander'
import type { Cli } from '../session/session.ts'
import { attach } from './attach.ts'
import { create } from './create.ts'
import { deleteApp } from './delete.ts'
import { deploy } from './deploy.ts'
import { deployments } from './deployments.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { logs } from './logs.ts'
import { rollback } from './rollback.ts'
import { scale } from './scale.ts'
import { status } from './status.ts'

export function appCommands(cli: Cli): Command {
  const apps = new Command('apps').aliases(['app', 'services', 'service']).description('work with services')
  for (const verb of [list, get, create, attach, deleteApp, deployments]) apps.addCommand(verb(cli))
  for (const verb of directAppCommands(cli)) apps.addCommand(verb)
  return apps
}

/** "top-level and `apps`-level". */
export const directAppCommands = (cli: Cli): Command[] => [deploy, status, logs, scale, rollback].map((verb) => verb(cli))
