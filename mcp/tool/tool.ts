/** The mould of a tool: what an agent reads of it, the operations it needs, and what it does. */
import type { z } from 'zod'
import type { Client } from '../../client/client.ts'
import type { OperationId, View } from '../../contract/operations.ts'

/** What the service says of the caller (`GET /me`). */
export type Me = View<'platform.me'>

/** What one call of a tool may use. */
export interface ToolCall {
  readonly client: Client
  /** Aborted when the agent cancels the call or goes away; what was asked of the service goes on. */
  readonly signal: AbortSignal
  /** Milliseconds of a clock that only moves forward. */
  readonly now: () => number
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** Reports to the agent how far a long call is, where the agent asked for it. */
  readonly progress: (step: { elapsedMs: number; totalMs: number; message: string }) => void
}

/** How a tool behaves, in the protocol's own words (annotations). */
export type Effect = 'read' | 'change' | 'idempotent-change' | 'destructive-change'

export interface Tool {
  readonly name: string
  readonly title: string
  /** For a model: what the tool does, what it returns, when not to use it. */
  readonly description: string
  readonly effect: Effect
  /** The tool is there for callers who may perform each of these; a change is for callers who may change things. */
  readonly operations: readonly OperationId[]
  /** Only where the server was started with `--allow-delete`. */
  readonly deletes?: true
  /** Strict: an argument that it does not know is refused. */
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  readonly run: (args: unknown, call: ToolCall) => Promise<ToolAnswer>
}

export interface ToolAnswer {
  /** An object of the tool's output schema. */
  readonly structured: Readonly<Record<string, unknown>>
  /** The answer as text; the JSON of the object where it is left out. */
  readonly inWords?: (structured: Readonly<Record<string, unknown>>) => string
}

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject> extends Omit<
  Tool,
  'input' | 'output' | 'run'
> {
  readonly input: Input
  readonly output: Output
  readonly run: (args: z.output<Input>, call: ToolCall) => Promise<z.output<Output>>
  /** The answer as text, where JSON reads badly. */
  readonly inWords?: (view: z.output<Output>) => string
}

/** Ties the types of the schemas to those of the function. `args` are parsed by the input schema before. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>({
  run,
  inWords,
  ...rest
}: Definition<Input, Output>): Tool {
  return {
    ...rest,
    run: async (args, call) => ({
      structured: await run(args as z.output<Input>, call), // server.ts parsed them by `input`
      // cut.ts takes list items and parts of texts away, which every output schema allows
      ...(inWords === undefined ? {} : { inWords: (view) => inWords(view as z.output<Output>) }),
    }),
  }
}

/** A tool's own refusal, in the words of the service where there are any. */
export class ToolError extends Error {
  readonly missing: boolean

  /** @param missing what was named does not exist. */
  constructor(message: string, missing = false) {
    super(message)
    this.name = 'ToolError'
    this.missing = missing
  }
}
