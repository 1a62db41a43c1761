/** Tools about services; each is beside the others of its subject. */
import { deployTools } from './deploys.ts'
import { logTools } from './logs.ts'
import { readTools } from './reads.ts'
import { settingTools } from './settings.ts'
import { variableTools } from './variables.ts'

export const appTools = [...readTools, ...logTools, ...variableTools, ...deployTools, ...settingTools]
