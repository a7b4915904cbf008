import { RuntimeError } from '../ports/runtime-error.ts'

/** What is wrong with a value, as it goes on behind its name: ` must be a text`. Undefined when nothing is. */
export type Check = (value: unknown) => string | undefined

/** What a method takes: its parameters by name, in their order. */
export type Parameters = Readonly<Record<string, Check>>

/**
 * Checks what a host's own code passes to a method. With types it cannot be wrong, and a host in plain JavaScript would
 * read of some property of undefined.
 *
 * @param method Name of the method as the host writes it, such as `agents.get`.
 * @throws {RuntimeError} `validation_error` that names the method, the parameter and what it must be. Never holds the value.
 */
export function checkCall(method: string, parameters: Parameters, given: readonly unknown[]): void {
  let place = 0
  for (const name in parameters) {
    const problem = parameters[name]?.(given[place])
    if (problem !== undefined) {
      throw new RuntimeError('validation_error', `Calling ${method} failed: ${name}${problem}.`)
    }
    place += 1
  }
}

/** What the method itself checks, by a schema of the REST interface for instance. */
export const checkedLater: Check = () => undefined

export const text: Check = (value) => (typeof value === 'string' ? undefined : ' must be a text')

export const number: Check = (value) =>
  typeof value === 'number' && !Number.isNaN(value) ? undefined : ' must be a number'

export const texts: Check = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? undefined
    : ' must be a list of texts'

export const abortSignal: Check = (value) =>
  hasFunction(value, 'throwIfAborted') ? undefined : ' must be an AbortSignal'

export const byteStream: Check = (value) =>
  hasFunction(value, Symbol.asyncIterator)
    ? undefined
    : ' must be a stream of bytes, such as createReadStream() gives'

/** One of a few words. */
export function word(...words: readonly string[]): Check {
  return (value) => (words.some((known) => known === value) ? undefined : ` must be ${words.join(' or ')}`)
}

/** An object. Fields that are not named here are ignored, for a host may pass on an object of its own. */
export function fields(checks: Parameters): Check {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return ' must be an object'
    for (const name in checks) {
      const problem = checks[name]?.(value[name as keyof typeof value]) // whatever the host has put there
      if (problem !== undefined) return `.${name}${problem}`
    }
    return undefined
  }
}

/** What may be left out. */
export function optional(check: Check): Check {
  return (value) => (value === undefined ? undefined : check(value))
}

function hasFunction(value: unknown, name: string | symbol): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'
}
