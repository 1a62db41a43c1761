/** The Python interpreter that has Schemathesis. */
import { join } from 'node:path'
import { pythonWith } from '../harness/python.ts'

export const pythonWithSchemathesis = (): Promise<string> =>
  pythonWith('Schemathesis', join(import.meta.dirname, 'requirements.txt'))
