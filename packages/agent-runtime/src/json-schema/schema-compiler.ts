import type { Json } from '@homeward/contract/agent-platform'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { once } from '../concurrency/once.ts'
import { hasMoreParts } from './has-more-parts.ts'
import { createTimeLimit, type TimeLimit } from './time-limit.ts'

/** What is wrong with a value: nothing, several things, or what nobody could find out. */
export type SchemaFindings = readonly ErrorObject[] | { readonly unknown: string }

/** A schema that values can be checked against, or why none can. */
export type CompiledSchema = { check(value: Json): SchemaFindings } | { readonly broken: string }

/** A JSON Schema as somebody has it: what of it is no JSON counts for nothing. */
type JsonSchema = Readonly<Record<string, unknown>>

/** Compiles JSON Schemas that others wrote: of tools' arguments, of skills' configs. */
export interface SchemaCompiler {
  compile(schema: JsonSchema): Promise<CompiledSchema>
  /** Begins to load what compiling needs, so that the first one does not wait for it. */
  warmUp(): void
}

// Skills bring formats and keywords of their own, which say something to others; ajv would print about them.
const options = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  logger: false,
  validateSchema: false,
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

  async function ajvFor({ $schema }: JsonSchema, text: string) {
    const isRecent = typeof $schema === 'string' && /2019-09|2020-12/.test($schema)
    // What has names of its own could meet another schema's in a shared compiler.
    const isNamed = text.includes('"$id"') || text.includes('nchor"')
    if (isRecent) return isNamed ? loadRecent() : recent()
    return isNamed ? loadUsual() : usual()
  }

  return {
    async compile(schema) {
      const text = JSON.stringify(schema)
      const { $schema: _, ...rules } = schema
      if ('$async' in rules) return { broken: 'it is asynchronous' }
      const ajv = await ajvFor(schema, text)
      try {
        const validate = ajv.compile(rules)
        ajv.removeSchema(rules) // a compiler keeps every schema that it has seen
        const mayBeQuick = !costly.test(text)
        const quickParts = quickProduct / text.length
        return {
          check(value) {
            if (mayBeQuick && !hasMoreParts(value, quickParts)) return findingsOf(validate, value)
            const withinLimit = (limit ??= createTimeLimit(checkMs))
            return tryCheck(() => withinLimit(() => findingsOf(validate, value)))
          },
        }
      } catch (error) {
        return { broken: error instanceof Error ? error.message : 'it cannot be compiled' }
      }
    },
    warmUp() {
      usual().catch(() => {}) // the first check tries again, and says so
    },
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
    return { unknown: `could not be checked within ${checkMs} ms: the JSON Schema asks for too much` }
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
