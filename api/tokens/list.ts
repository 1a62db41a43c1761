/** `GET /tokens`: every API token, newest first, never with its value. */
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const list =
  ({ tokens }: Needs): Handler<'tokens.list'> =>
  async ({ params: { project } }) => ({ items: tokens.list(project) })
