/** The logger that code for the cluster needs; a pino logger is one. */

type Write = (fields: object, message: string) => void

export interface Logger {
  debug: Write
  info: Write
  warn: Write
  error: Write
}

/** Drops everything; for short scripts and tests. */
export const silentLog: Logger = { debug() {}, info() {}, warn() {}, error() {} }
