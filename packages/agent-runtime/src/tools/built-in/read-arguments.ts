import type { JsonObject } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'

/** A text among a tool's arguments. The run has checked them already; this holds for other callers too. */
export function textOf(args: JsonObject, name: string): string
export function textOf(args: JsonObject, name: string, absent: string): string
export function textOf(args: JsonObject, name: string, absent?: string): string {
  const value = args[name] ?? absent
  if (typeof value !== 'string') throw wrongArgument(name, 'a string')
  return value
}

/** A whole number from `least` on among a tool's arguments. */
export function wholeOf(args: JsonObject, name: string, absent: number, least = 0): number {
  const value = args[name] ?? absent
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least)
    throw wrongArgument(name, 'an integer')
  return value
}

/** Texts among a tool's arguments. */
export function textsOf(args: JsonObject, name: string): string[] {
  const value = args[name] ?? []
  if (!Array.isArray(value)) throw wrongArgument(name, 'a list of strings')
  return value.map((entry) => {
    if (typeof entry !== 'string') throw wrongArgument(name, 'a list of strings')
    return entry
  })
}

/** @param what What the argument must be, such as `a string`. */
export function wrongArgument(name: string, what: string): RuntimeError {
  return new RuntimeError(
    'validation_error',
    `Reading the argument "${name}" failed: the value must be ${what}.`,
  )
}
