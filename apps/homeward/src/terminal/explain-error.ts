import { inspect } from 'node:util'
import { cleanText } from './clean-text.ts'

/** Causes that are told at most. */
const mostCauses = 4

/** What a failed start tells: the message, and what lies behind it, such as the path that cannot be opened. */
export function explainError(error: unknown): string {
  const told: string[] = []
  let cause = error
  for (let depth = 0; cause !== undefined && depth <= mostCauses; depth += 1) {
    const message = cause instanceof Error ? cause.message : inspect(cause)
    if (!told.some((earlier) => earlier.includes(message))) told.push(message)
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return told.map(cleanText).join('\n  because: ')
}
