/** What a logger must be able to do for code that talks to the cluster; a pino logger is one. */

type Write = (fields: object, message: string) => void

export interface Logger {
  debug: Write
  info: Write
  warn: Write
  error: Write
}

/** Drops everything; for short scripts and tests. */
export const silentLog: Logger = { debug() {}, info() {}, warn() {}, error() {} }
