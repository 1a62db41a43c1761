/** `GET /openapi.json`. */
import type { Handler } from '../context/handler.ts'
import { openapiDocument } from './openapi-document.ts'

export const openapi = (): Handler<'platform.openapi'> => {
  const document = { ...openapiDocument() }
  return async () => document
}
