import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'

const template = /\{\{\s*([\w.-]+)\s*\}\}/g
const wholeTemplate = /^\{\{\s*([\w.-]+)\s*\}\}$/
const maxArgumentBytes = 128 * 1024 - 1

/**
 * Fills the templates of an exec tool's `args`. One template gives one argument, whatever is in its value: spaces and
 * quotes part nothing. Lists and objects become JSON.
 *
 * - A template alone whose value begins with `-` is refused, for the program would take it for an option. Behind a
 *   `--` it is fine, in `--name={{value}}` too, and numbers are.
 * - Where the parameter is absent the argument is left out, together with an option directly before it.
 *
 * @param base Stands for `{{base}}`.
 * @throws {RuntimeError} `validation_error`
 */
export function toArguments(
  args: readonly string[],
  parameters: JsonObject,
  base: string | undefined,
): string[] {
  const filled: string[] = []
  let optionsEnded = false
  for (const [index, arg] of args.entries()) {
    const texts = fill(arg, parameters, base)
    if (texts === undefined) {
      if (wholeTemplate.test(arg) && isOption(args[index - 1])) filled.pop()
      continue
    }
    if (arg === '--') optionsEnded = true
    if (!optionsEnded) refuseOption(arg, texts, parameters)
    if (texts.includes('\0')) throw refused(arg, 'it must not contain a NUL character')
    if (Buffer.byteLength(texts) > maxArgumentBytes)
      throw refused(arg, 'it is too long. Pass long values through stdin')
    filled.push(texts)
  }
  return filled
}

function fill(arg: string, parameters: JsonObject, base: string | undefined): string | undefined {
  let absent = false
  const text = arg.replace(template, (_, name: string) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : name === 'base' ? base : undefined
    if (value === undefined || value === null) absent = true
    return toText(value)
  })
  return absent ? undefined : text
}

function refuseOption(arg: string, text: string, parameters: JsonObject): void {
  const name = wholeTemplate.exec(arg)?.[1]
  if (name === undefined) {
    if (arg.startsWith('{{') && text.startsWith('-')) throw refused(arg, 'it must not start with "-"')
  } else if (text.startsWith('-') && typeof parameters[name] !== 'number') {
    throw refused(arg, 'it must not start with "-"')
  }
}

function isOption(arg: string | undefined): boolean {
  return arg !== undefined && arg.startsWith('-') && arg !== '--' && !arg.includes('=') && !arg.includes('{{')
}

function toText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function refused(arg: string, reason: string): RuntimeError {
  const text = `Filling the argument ${arg} failed: ${reason}. Use another value.`
  return new RuntimeError('validation_error', text)
}
