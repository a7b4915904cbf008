import type { JsonObject } from '@homeward/contract/agent-platform'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Tool } from '../ports/tool.ts'

/** What came of checking arguments. `problem`: what is wrong with them, for the model. */
export type ArgumentsCheck =
  | { readonly outcome: 'valid' }
  | { readonly outcome: 'invalid'; readonly problem: string }
  | { readonly outcome: 'unusable'; readonly problem: string }

/** Checks the arguments of tool calls against the tools' JSON Schemas. */
export interface ArgumentChecks {
  /** `unusable`: the schema itself cannot be compiled, so the tool cannot be called. */
  check(tool: Tool, args: JsonObject): Promise<ArgumentsCheck> | ArgumentsCheck
  /** Begins to load what checks need, so that the first call does not wait for it. */
  warmUp(): void
}

type Compiled = ValidateFunction | { readonly broken: string }

const maxCached = 1000
const maxProblems = 5

/**
 * Builds the checks. ajv is loaded at the first call that needs it; a schema is compiled once, and the compiled ones
 * are found again by the schema's text when a tool is built anew.
 */
export function createArgumentChecks(): ArgumentChecks {
  const byObject = new WeakMap<JsonObject, Compiled>()
  const byText = new Map<string, Compiled>()

  const compiler = createCompiler()

  async function compile(schema: JsonObject): Promise<Compiled> {
    const text = JSON.stringify(schema)
    const known = byText.get(text)
    byText.delete(text) // put back below, as the newest
    const compiled = known ?? (await compiler.compile(schema, text))
    byText.set(text, compiled)
    byObject.set(schema, compiled)
    const oldest = byText.keys().next()
    if (byText.size > maxCached && !oldest.done) byText.delete(oldest.value)
    return compiled
  }

  return {
    check(tool, args) {
      const compiled = byObject.get(tool.parameters)
      if (compiled) return judge(compiled, args)
      return compile(tool.parameters).then((fresh) => judge(fresh, args))
    },
    warmUp: compiler.warmUp,
  }
}

function judge(compiled: Compiled, args: JsonObject): ArgumentsCheck {
  if (typeof compiled !== 'function') return { outcome: 'unusable', problem: compiled.broken }
  if (compiled(args)) return { outcome: 'valid' }
  return { outcome: 'invalid', problem: describe(compiled.errors ?? []) }
}

function describe(errors: readonly ErrorObject[]): string {
  const told = errors.slice(0, maxProblems).map(({ instancePath, message, params }) => {
    const allowed: unknown = params.allowedValues ?? params.additionalProperty
    const detail = allowed === undefined ? '' : ` (${JSON.stringify(allowed)})`
    return `${instancePath || 'the arguments'} ${message ?? 'do not match'}${detail}`
  })
  const more = errors.length - told.length
  return told.join('; ') + (more > 0 ? `; and ${more} more` : '')
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
 * Compiles schemas of both dialects that skills and MCP servers use. A schema says which by `$schema`, and most say
 * nothing; the newer one is loaded when a schema asks for it.
 */
function createCompiler() {
  let usual: ReturnType<typeof loadUsual> | undefined
  let recent: ReturnType<typeof loadRecent> | undefined

  async function ajvFor(schema: JsonObject, text: string) {
    const { $schema } = schema
    const isRecent = typeof $schema === 'string' && /2019-09|2020-12/.test($schema)
    // What has names of its own could meet another schema's in a shared compiler.
    const isNamed = text.includes('"$id"') || text.includes('nchor"')
    if (isRecent) return isNamed ? loadRecent() : (recent ??= loadRecent())
    return isNamed ? loadUsual() : (usual ??= loadUsual())
  }

  return {
    async compile(schema: JsonObject, text: string): Promise<Compiled> {
      const { $schema: _, ...rest } = schema
      if ('$async' in rest) return { broken: 'its JSON Schema is asynchronous' }
      const ajv = await ajvFor(schema, text)
      try {
        const validate = ajv.compile(rest)
        ajv.removeSchema(rest) // a compiler keeps every schema that it has seen
        return validate
      } catch (error) {
        return {
          broken: `its JSON Schema cannot be used: ${error instanceof Error ? error.message : 'unknown'}`,
        }
      }
    },
    warmUp() {
      usual ??= loadUsual()
      usual.catch(() => {}) // the first check will say so
    },
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
