/** `svc settings`, `svc clouds`, `svc templates`, `svc usage` and `svc tokens`. */
import { Command } from 'commander'
import { addOperations, operationCommand } from '../operations/operation-command.ts'
import type { Cli } from '../session/session.ts'
import { cloudRows, settingRows, templateRows, tokenRows, usageRow } from './operations.ts'

const settingWords = {
  registry: 'where builds are pushed',
  domain: 'the domain of the platform',
  dns: 'the DNS provider',
  githost: 'the git-host app',
} as const

export function settingCommands(cli: Cli): Command {
  const settings = new Command('settings').description('work with the settings of the platform')
  for (const [name, rows] of Object.entries(settingRows))
    settings.addCommand(
      addOperations(new Command(name).description(settingWords[name as keyof typeof settingWords]), rows, cli),
    )
  return settings
}

export const cloudCommands = (cli: Cli): Command =>
  addOperations(new Command('clouds').alias('cloud').description('work with connections to clouds'), cloudRows, cli)

export const templateCommands = (cli: Cli): Command =>
  addOperations(new Command('templates').alias('template').description('work with templates'), templateRows, cli)

export const tokenCommands = (cli: Cli): Command =>
  addOperations(new Command('tokens').alias('token').description('work with API tokens'), tokenRows, cli)

export const usage = (cli: Cli): Command => operationCommand(usageRow, cli)
