import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isLongInteger, untilAborted } from '@homeward/kit'
import type { ErrorObject } from 'ajv'
import { someString } from '../../json/to-json.ts'
import { withoutAbsentNulls } from '../../json-schema/absent-nulls.ts'
import { createSchemaCompiler, type CompiledSchema } from '../../json-schema/schema-compiler.ts'
import { reasonOf } from '../../ports/reason-of.ts'
import type { Tool } from '../../ports/tool.ts'

/** What came of checking arguments. `problem`: what is wrong with them, for the model. */
export type ArgumentsCheck =
  | { readonly outcome: 'valid' }
  /** `isUnknown`: the check took too long, as it will for a similar value. */
  | { readonly outcome: 'invalid'; readonly problem: string; readonly isUnknown?: true }

/** Checks the arguments of tool calls against the tools' JSON Schemas. */
export interface ArgumentChecks {
  /**
   * Rules of a schema that nobody can check let any argument pass: whoever made the tool checks them too.
   *
   * @throws {unknown} the reason of the signal: the check of a tool itself may wait for anything.
   */
  check(tool: Tool, args: JsonObject, signal: AbortSignal): Promise<ArgumentsCheck>
  /**
   * Checks the output of a run against its schema, in the same way.
   *
   * @param root what problems call it. @default the output
   * @returns with the value, without properties whose `null` stands for nothing, and with `unchecked`: rules that nobody can check
   */
  checkOutput(
    schema: JsonObject,
    output: Json,
    root?: string,
  ): Promise<ArgumentsCheck & { readonly value: Json; readonly unchecked?: string }>
  /** Whether a value matches a schema; undefined if some rule of the schema cannot be checked. */
  matches(schema: JsonObject, value: Json): Promise<boolean | undefined>
  /** Begins to load what checks need, so that the first call does not wait for it. */
  warmUp(): void
}

const maxCached = 1000
const maxProblems = 5
const valid: ArgumentsCheck = { outcome: 'valid' }

/**
 * Builds the checks. ajv is loaded at the first call that needs it; a schema is compiled once, and the compiled ones
 * are found again by the schema's text when a tool is built anew.
 */
export function createArgumentChecks(): ArgumentChecks {
  const byObject = new WeakMap<Tool['inputSchema'], CompiledSchema>()
  const byText = new Map<string, CompiledSchema>()
  const compiler = createSchemaCompiler()
  let isWarm = false

  async function compile(schema: Tool['inputSchema']): Promise<CompiledSchema> {
    const text = JSON.stringify(schema)
    const known = byText.get(text)
    byText.delete(text) // put back below, as the newest
    const compiled = known ?? (await compiler.compile(schema))
    byText.set(text, compiled)
    byObject.set(schema, compiled)
    const oldest = byText.keys().next()
    if (byText.size > maxCached && !oldest.done) byText.delete(oldest.value)
    return compiled
  }

  const find = async (schema: Tool['inputSchema']) => byObject.get(schema) ?? (await compile(schema))

  return {
    async check(tool, given, signal) {
      const args = withoutAbsentNulls(tool.inputSchema, given)
      const check = tool.validate
        ? await validate(tool, args, signal)
        : await judge(await find(tool.inputSchema), args, 'the arguments')
      return withHint(check, args)
    },
    async checkOutput(schema, given, root = 'the output') {
      const value = withoutAbsentNulls(schema, given)
      const compiled = await find(schema)
      const { unchecked } = compiled
      return {
        ...withHint(await judge(compiled, value, root), value),
        value,
        ...(unchecked !== undefined && { unchecked }),
      }
    },
    async matches(schema, value) {
      const compiled = await find(schema)
      const findings = await compiled.check(value)
      if ('unknown' in findings || compiled.unchecked !== undefined) return undefined
      return findings.length === 0
    },
    warmUp() {
      if (!isWarm) compiler.warmUp()
      isWarm = true
    },
  }
}

/** Long integers are read as text (see `parseExactJson`), which a schema of numbers rejects. */
function withHint(check: ArgumentsCheck, value: Json): ArgumentsCheck {
  if (check.outcome === 'valid' || !someString(value, 16, { test: isLongInteger })) return check
  const hint =
    'A number beyond 2^53 would be rounded, so it was read as a string. Pass such a number as a string, or leave it out'
  return { ...check, problem: `${check.problem}. ${hint}` }
}

/** Asks a tool that checks its arguments itself. */
async function validate(tool: Tool, args: JsonObject, signal: AbortSignal): Promise<ArgumentsCheck> {
  try {
    const problem = await untilAborted(Promise.resolve(tool.validate?.(args)), signal)
    return problem === undefined ? valid : { outcome: 'invalid', problem }
  } catch (error) {
    signal.throwIfAborted()
    return { outcome: 'invalid', problem: `the arguments could not be checked: ${reasonOf(error)}` }
  }
}

async function judge(compiled: CompiledSchema, value: Json, root: string): Promise<ArgumentsCheck> {
  const findings = await compiled.check(value)
  if ('unknown' in findings)
    return { outcome: 'invalid', problem: `${root} ${findings.unknown}`, isUnknown: true }
  return findings.length === 0 ? valid : { outcome: 'invalid', problem: describe(findings, root) }
}

function describe(errors: readonly ErrorObject[], root: string): string {
  const told = errors.slice(0, maxProblems).map(({ instancePath, message, params }) => {
    const allowed: unknown = params.allowedValues ?? params.additionalProperty
    const detail = allowed === undefined ? '' : ` (${JSON.stringify(allowed)})`
    return `${instancePath || root} ${message ?? 'do not match'}${detail}`
  })
  const more = errors.length - told.length
  return told.join('; ') + (more > 0 ? `; and ${more} more` : '')
}
