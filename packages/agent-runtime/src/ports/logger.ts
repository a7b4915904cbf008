/** Receives problems that no caller sees. Its arguments never contain a secret. */
export interface Logger {
  /** Reports a problem after which the runtime continues without the affected part. */
  warn(message: string, details?: Readonly<Record<string, unknown>>): void
  /** Reports an unexpected failure. */
  error(message: string, details?: Readonly<Record<string, unknown>>): void
}

/** Keeps quiet: what a runtime uses when it is given none. */
export const silentLogger: Logger = { warn() {}, error() {} }

/** A host's logger that cannot be in the way: one that throws must stop nothing. */
export function guardedLogger(logger: Logger): Logger {
  const call = (level: keyof Logger) => (message: string, details?: Readonly<Record<string, unknown>>) => {
    try {
      logger[level](message, details)
    } catch {
      // there is nobody left to tell
    }
  }
  return { warn: call('warn'), error: call('error') }
}
