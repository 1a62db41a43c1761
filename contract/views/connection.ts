/** How the connection details of a database are asked for and shown; logical databases answer alike. */
import { z } from 'zod'
import { flag } from '../fields/fields.ts'

/** Without `reveal` neither the password nor the address that holds it is shown. */
export const connectionQuery = { reveal: flag('reveal').optional() }

/** `keys` are those of the connection Secret; the values are its texts, the port included. */
export const connectionView = z.object({
  keys: z.array(z.string()),
  host: z.string(),
  port: z.string(),
  database: z.string(),
  username: z.string(),
  password: z.string().optional(),
  uri: z.string().optional(),
  revealed: z.literal(true).optional(),
})
