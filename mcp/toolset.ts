/** All tools, and which of them a caller gets. */
import { appTools } from './apps/tools.ts'
import { dataTools } from './data/tools.ts'
import { functionTools } from './functions/tools.ts'
import { platformTools } from './platform/tools.ts'
import { mayUse } from './tool/access.ts'
import type { Me, Tool } from './tool/tool.ts'

export const allTools: readonly Tool[] = [...platformTools, ...appTools, ...functionTools, ...dataTools]

/** The flags of `svc mcp` that decide about tools. */
export interface ToolsetFlags {
  /** Leaves out every tool that changes something. */
  readonly readOnly: boolean
  /** Adds the tool that deletes. */
  readonly allowDelete: boolean
}

/** A tool that the caller cannot use is not there at all: an agent does not try what it does not see. */
export function toolsFor(me: Me, { readOnly, allowDelete }: ToolsetFlags): readonly Tool[] {
  return allTools.filter(
    (tool) => mayUse(me, tool) && (!readOnly || tool.effect === 'read') && (allowDelete || tool.deletes === undefined),
  )
}
