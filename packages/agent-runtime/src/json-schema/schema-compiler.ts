import type { Json } from '@homeward/contract/agent-platform'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { once } from '../concurrency/once.ts'
import { isJsonObject } from '../json/json-object.ts'
import { parseJson } from '../json/parse-json.ts'
import { readPattern } from './read-pattern.ts'
import { relaxSchema } from './relax-schema.ts'
import { createContext, Script } from 'node:vm'

/** What is wrong with a value: nothing, several things, or what nobody could find out. */
type SchemaFindings = readonly ErrorObject[] | { readonly unknown: string }

/** A schema that values can be checked against. */
export interface CompiledSchema {
  check(value: Json): SchemaFindings
  /** Why some rules of it, or all, are not checked. */
  readonly unchecked?: string
}

/** A JSON Schema as somebody has it: what of it is no JSON counts for nothing. */
type JsonSchema = Readonly<Record<string, unknown>>

/** Whether a schema says that it is of draft 2019-09 or later. */
export const isRecentSchema = ({ $schema }: JsonSchema): boolean =>
  typeof $schema === 'string' && /2019-09|2020-12/.test($schema)

/** Compiles JSON Schemas that others wrote: of tools' arguments, of skills' configs. */
interface SchemaCompiler {
  compile(schema: JsonSchema): Promise<CompiledSchema>
  /** Begins to load what compiling needs, so that the first one does not wait for it. */
  warmUp(): void
}

/** ajv takes the function itself, not its code, where it compiles nothing for later. */
const regExp = Object.assign((pattern: string) => readPattern(pattern) ?? new RegExp(pattern, 'u'), {
  code: 'readPattern',
})

// Skills bring formats and keywords of their own, which say something to others; ajv would print about them.
const options = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  logger: false,
  validateSchema: false,
  code: { regExp },
} as const

/**
 * What in a small schema keeps a check busy for minutes or for years: patterns that try every way, references that
 * multiply, comparisons of everything with everything. Of the formats only that of `url` takes quadratic time.
 */
const costly = /"(?:pattern|patternProperties|\$ref|\$dynamicRef|\$recursiveRef|uniqueItems)"|"format":"url"/
/**
 * Characters of a schema times parts of a value that are looked at without a limit. Every rule may find something in every
 * part, and each finding is kept: this many take a tenth of a second.
 */
const quickProduct = 1_000_000
/** Longest that a check may hold up everything else. One that is meant takes a thousandth of it. */
const checkMs = 1000
const nothingWrong: SchemaFindings = []

/**
 * Compiles schemas of both dialects that skills and MCP servers use. A schema says which by `$schema`, and most say
 * nothing; the newer one is loaded when a schema asks for it.
 */
export function createSchemaCompiler(): SchemaCompiler {
  const usual = once(loadUsual)
  const recent = once(loadRecent)
  let limit: TimeLimit | undefined

  async function ajvFor(isRecent: boolean, text: string) {
    // What has names of its own could meet another schema's in a shared compiler.
    const isNamed = text.includes('"$id"') || text.includes('nchor"')
    if (isRecent) return isNamed ? loadRecent() : recent()
    return isNamed ? loadUsual() : usual()
  }

  function toCompiled(validate: ValidateFunction, text: string): CompiledSchema {
    const mayBeQuick = !costly.test(text)
    const quickParts = quickProduct / text.length
    return {
      check(value) {
        if (mayBeQuick && !hasMoreParts(value, quickParts)) return findingsOf(validate, value)
        const withinLimit = (limit ??= createTimeLimit(checkMs))
        return tryCheck(() => withinLimit(() => findingsOf(validate, value)))
      },
    }
  }

  return {
    async compile(schema) {
      const text = JSON.stringify(schema)
      const { $schema: _, ...rules } = schema
      const isRecent = isRecentSchema(schema)
      const ajv = await ajvFor(isRecent, text)
      const strict = tryCompile(ajv, rules)
      if ('validate' in strict) return toCompiled(strict.validate, text)
      try {
        const given = parseJson(JSON.stringify(rules))
        const { schema: less, skippedRanges } = relaxSchema(isJsonObject(given) ? given : {}, isRecent)
        const relaxed = tryCompile(ajv, less)
        if (!('validate' in relaxed)) return { check: () => nothingWrong, unchecked: relaxed.problem }
        const names = [...skippedRanges].map((name) => JSON.stringify(name)).join(', ')
        const unchecked = names === '' ? strict.problem : `${strict.problem}; not checked: ${names}`
        return { ...toCompiled(relaxed.validate, text), unchecked }
      } catch {
        // nested too deeply to be walked
        return { check: () => nothingWrong, unchecked: strict.problem }
      }
    },
    warmUp() {
      usual().catch(() => {}) // the first check tries again, and says so
    },
  }
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

function findingsOf(validate: ValidateFunction, value: Json): SchemaFindings {
  return validate(value) ? nothingWrong : (validate.errors ?? nothingWrong)
}

/** Patterns may be too large to be tried, values too deep to be walked, and both take longer than anybody waits. */
function tryCheck(check: () => SchemaFindings): SchemaFindings {
  try {
    return check()
  } catch {
    return { unknown: `could not be checked within ${checkMs} ms. Simplify the JSON Schema` }
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

function withFormats<T extends object>(ajv: T, addFormats: unknown): T {
  // Its types may come from another copy of ajv; all it does is call addFormat.
  ;(addFormats as (target: T) => void)(ajv)
  return ajv
}

/** Characters of a text that count like one more value: looking at them is that much quicker. */
const charactersOfPart = 64

/** Whether a value holds more than so many values, long texts counted by their pieces. Looks no further than it must. */
export function hasMoreParts(value: Json, limit: number): boolean {
  let left = limit
  const open: Json[] = [value]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    left -= 1
    if (typeof one === 'string') left -= one.length / charactersOfPart
    if (typeof one === 'object' && one !== null) {
      const entries = Array.isArray(one) ? one : Object.values(one)
      if (entries.length > left) return true
      for (const entry of entries) open.push(entry)
    }
    if (left < 0) return true
  }
  return false
}

/** Runs what does not wait for anything. @throws {Error} once it has taken too long; whatever `work` throws. */
type TimeLimit = <Result>(work: () => Result) => Result

/**
 * Bounds work that nothing else could stop: it keeps the event loop to itself. V8 looks for the limit inside loops,
 * calls and regular expressions alike.
 */
function createTimeLimit(timeoutMs: number): TimeLimit {
  const context = createContext()
  const script = new Script('work()')
  return <Result>(work: () => Result) => {
    context['work'] = work
    try {
      return script.runInContext(context, { timeout: timeoutMs }) as Result // what `work` gave
    } finally {
      context['work'] = undefined
    }
  }
}
