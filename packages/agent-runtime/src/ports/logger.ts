/** Where a runtime reports what its caller does not get to see. Nothing it is given holds a secret. */
export interface Logger {
  /** Something could not be used; the runtime goes on without it. */
  warn(message: string, details?: Readonly<Record<string, unknown>>): void
  /** Something failed that should not have. */
  error(message: string, details?: Readonly<Record<string, unknown>>): void
}

/** Keeps quiet: what a runtime uses when it is given none. */
export const silentLogger: Logger = { warn() {}, error() {} }
