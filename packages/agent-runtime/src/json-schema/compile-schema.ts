// Named import, so that tests that fake the global timers do not hold it up.
import { setImmediate } from 'node:timers'
import type { Json } from '@homeward/contract/agent-platform'
import type { Ajv, ValidateFunction } from 'ajv'
import { once } from '../concurrency/once.ts'
import { isJsonObject } from '../json/json-object.ts'
import { readPattern } from './read-pattern.ts'
import { relaxSchema } from './relax-schema.ts'

/** A JSON Schema as its author wrote it: values that are not JSON count as absent. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Whether a schema says that it is of draft 2019-09 or later. */
export const isRecentSchema = ({ $schema }: JsonSchema): boolean =>
  typeof $schema === 'string' && /2019-09|2020-12/.test($schema)

/** A schema as a function. */
export interface SchemaFunction {
  /** Absent if no rule of the schema can be checked. */
  readonly validate?: ValidateFunction
  /** Why some rules, or all, are not checked. */
  readonly unchecked?: string
}

/** ajv takes the function itself, not its code, where it compiles nothing for later. */
const regExp = Object.assign((pattern: string) => readPattern(pattern) ?? new RegExp(pattern, 'u'), {
  code: 'readPattern',
})

const options = {
  // Skills bring formats and keywords of their own, which say something to others; ajv would print about them.
  strict: false,
  allErrors: true,
  ownProperties: true,
  logger: false,
  validateSchema: false,
  // a definition that is inlined at every reference makes compiling a small schema take seconds
  inlineRefs: false,
  code: { regExp },
} as const

/**
 * Builds the function that compiles schemas of both dialects that skills and MCP servers use. A schema says which by
 * `$schema`, and most say nothing; the newer one is loaded when a schema asks for it.
 */
export function createSchemaFunctions() {
  const usual = once(loadUsual)
  const recent = once(loadRecent)

  async function ajvFor(isRecent: boolean, text: string) {
    // Names in one schema could clash with another schema's in a shared compiler.
    const isNamed = text.includes('"$id"') || text.includes('nchor"')
    if (isRecent) return isNamed ? loadRecent() : recent()
    return isNamed ? loadUsual() : usual()
  }

  async function compile(schema: JsonSchema): Promise<SchemaFunction> {
    const { $schema: _, ...rules } = schema
    const isRecent = isRecentSchema(schema)
    const ajv = await ajvFor(isRecent, JSON.stringify(schema))
    const strict = await inSharedTurn(() => tryCompile(ajv, rules))
    if ('validate' in strict) return strict
    try {
      const given = JSON.parse(JSON.stringify(rules)) as Json // what stringify wrote
      const { schema: less, skippedRanges } = relaxSchema(isJsonObject(given) ? given : {}, isRecent)
      const relaxed = await inSharedTurn(() => tryCompile(ajv, less))
      if (!('validate' in relaxed)) return { unchecked: relaxed.problem }
      const names = [...skippedRanges].map((name) => JSON.stringify(name)).join(', ')
      const unchecked = names === '' ? strict.problem : `${strict.problem}; not checked: ${names}`
      return { validate: relaxed.validate, unchecked }
    } catch {
      // nested too deeply to be walked
      return { unchecked: strict.problem }
    }
  }
  return { compile, warmUp: usual }
}

type Attempt = { readonly validate: ValidateFunction } | { readonly problem: string }

function tryCompile(
  ajv: Awaited<ReturnType<typeof loadUsual | typeof loadRecent>>,
  rules: JsonSchema,
): Attempt {
  try {
    if ('$async' in rules) return { problem: 'it is asynchronous' }
    return { validate: ajv.compile(rules) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'it cannot be compiled' }
  } finally {
    ajv.removeSchema(rules) // a compiler keeps every schema that it has seen
  }
}

/** How long work on schemas may take in one turn of the event loop before the rest of it waits, in milliseconds. */
const turnMs = 20
let spentMs = 0
let nextTurn: Promise<void> | undefined

/**
 * Does a piece of work on schemas that takes milliseconds. Pieces that come at once are spread over turns of the event loop, of which
 * there is one: together they hold it no longer than one of them.
 */
export async function inSharedTurn<Result>(work: () => Result): Promise<Result> {
  while (spentMs > turnMs && nextTurn) await nextTurn
  nextTurn ??= new Promise((resolve) => {
    setImmediate(() => {
      spentMs = 0
      nextTurn = undefined
      resolve()
    })
  })
  const startedMs = performance.now()
  try {
    return work()
  } finally {
    spentMs += performance.now() - startedMs
  }
}

async function loadUsual() {
  const [{ Ajv }, formats] = await Promise.all([import('ajv'), import('ajv-formats')])
  return withFormats(new Ajv(options), formats.default.default)
}

async function loadRecent() {
  const [{ Ajv2020 }, formats] = await Promise.all([import('ajv/dist/2020.js'), import('ajv-formats')])
  return withFormats(new Ajv2020(options), formats.default.default)
}

function withFormats<T extends Pick<Ajv, 'addFormat'>>(ajv: T, addFormats: unknown): T {
  // Its types may come from another copy of ajv; all it does is call addFormat.
  ;(addFormats as (target: T) => void)(ajv)
  ajv.addFormat('regex', (pattern: string) => readPattern(pattern) !== undefined)
  return ajv
}
