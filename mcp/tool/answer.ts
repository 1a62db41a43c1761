/** From what a tool found, or why it did not, to the protocol's result: text and structured content. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { ApiError, UnreachableError } from '../../client/api-error.ts'
import { cutField, cutText, cutToSize } from './cut.ts'
import { ToolError, type ToolAnswer } from './tool.ts'

/** What an agent should make of a refusal, after the service's own sentence. */
const notes: Readonly<Record<number, string>> = {
  401: '[the token is not valid or has expired: do not try again, ask the user for a new token]',
  403: '[this token may not do that: do not try again, ask the user for a token with another role]',
  404: '[check the name: the list tools show what exists and what this token can see]',
}

export function resultOf(answer: ToolAnswer): CallToolResult {
  const newestLast = answer.inWords !== undefined && 'lines' in answer.structured
  const structured = cutToSize(answer.structured, { keep: newestLast ? 'last' : 'first' })
  const cut = structured[cutField]
  const words = answer.inWords === undefined ? JSON.stringify(structured) : answer.inWords(structured)
  const text = answer.inWords === undefined || typeof cut !== 'string' ? words : `${words}\n[${cut}]`
  return { content: [{ type: 'text', text: cutText(text) }], structuredContent: structured }
}

/** An error result: the call reached its tool, and the agent can do something about it. */
export function errorResult(message: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: cutText(message) }] }
}

/** @throws the error itself when it is none that an agent can do something about. */
export function refusalResult(error: unknown): CallToolResult {
  if (error instanceof ApiError) return errorResult(withNote(error.message, error.status))
  if (error instanceof ToolError) return errorResult(withNote(error.message, error.missing ? 404 : 400))
  if (error instanceof UnreachableError) return errorResult(error.message)
  throw error
}

function withNote(message: string, status: number): string {
  const note = notes[status]
  return note === undefined ? message : `${message} ${note}`
}
