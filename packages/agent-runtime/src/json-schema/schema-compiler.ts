import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { createContext, Script } from 'node:vm'
import { compileLimitMs, createCheckingThread, threadLimitMs } from './checking-thread.ts'
import { createSchemaFunctions, inSharedTurn, type JsonSchema } from './compile-schema.ts'

/** The violations that a check found, or why the value could not be checked. */
type SchemaFindings = readonly ErrorObject[] | { readonly unknown: string }

/** A schema that values can be checked against. */
export interface CompiledSchema {
  /** Never blocks the event loop for longer than a tenth of a second. */
  check(value: Json): Promise<SchemaFindings>
  /** Why some rules of it, or all, are not checked. */
  readonly unchecked?: string
}

/** Compiles JSON Schemas that others wrote: of tools' arguments, of skills' configs, of outputs. */
interface SchemaCompiler {
  compile(schema: JsonSchema): Promise<CompiledSchema>
  /** Begins to load what compiling needs, so that the first one does not wait for it. */
  warmUp(): void
}

/**
 * Keywords that can make the check of a small schema take minutes or years: patterns that backtrack, references that
 * multiply, and `uniqueItems`, which compares every pair. Of the formats only that of `url` takes quadratic time.
 */
const costly = /"(?:pattern|patternProperties|\$ref|\$dynamicRef|\$recursiveRef|uniqueItems)"|"format":"url"/
/**
 * Characters of a schema times parts of a value that are checked without a limit. Every rule may find something in every
 * part, and each finding is kept: this many take some hundredths of a second.
 */
const quickProduct = 200_000
/** Longest schema that is compiled in this thread, in characters. */
const maxQuickSchema = 4096
/** How long a costly check may try in this thread before it moves to another one, in milliseconds. */
const trialMs = 20
/** After a trial that took too long, costly checks go to the other thread at once for this time, in milliseconds. */
const noTrialsMs = 60_000

const nothingWrong: SchemaFindings = []
const gaveUp: SchemaFindings = {
  unknown: `could not be checked within ${threadLimitMs} ms. Simplify the JSON Schema`,
}

/**
 * Builds the compiler. Schemas come from strangers: from requests, skills and MCP servers. So large ones are compiled,
 * and costly ones checked, in a thread that can be ended.
 */
export function createSchemaCompiler(): SchemaCompiler {
  const functions = createSchemaFunctions()
  const thread = createCheckingThread()
  let limit: TimeLimit | undefined
  let noTrialsUntil = 0

  /** @returns undefined if the value must be checked in the other thread */
  function tryHere(validate: ValidateFunction, value: Json): SchemaFindings | undefined {
    if (performance.now() < noTrialsUntil) return undefined
    const withinLimit = (limit ??= createTimeLimit(trialMs))
    try {
      return withinLimit(() => findingsOf(validate, value))
    } catch {
      noTrialsUntil = performance.now() + noTrialsMs
      return undefined
    }
  }

  async function checkThere(schema: JsonObject, value: Json): Promise<SchemaFindings> {
    const answer = await thread.ask({ schema, values: [value] })
    return answer?.findings ?? gaveUp
  }

  async function compileThere(schema: JsonObject): Promise<CompiledSchema> {
    const answer = await thread.ask({ schema, values: [] })
    const unchecked = answer ? answer.unchecked : `it could not be compiled within ${compileLimitMs} ms`
    const check = async (value: Json) => (answer ? checkThere(schema, value) : nothingWrong)
    return { check, ...(unchecked !== undefined && { unchecked }) }
  }

  return {
    async compile(given) {
      const text = JSON.stringify(given)
      const schema = JSON.parse(text) as JsonObject // the JSON of an object
      if (text.length > maxQuickSchema) return compileThere(schema)
      const { validate, unchecked } = await functions.compile(given)
      const mayBeQuick = !costly.test(text)
      const check = async (value: Json): Promise<SchemaFindings> => {
        if (!validate) return nothingWrong
        if (hasMoreParts(value, quickProduct / text.length)) return checkThere(schema, value)
        if (mayBeQuick) return findingsOf(validate, value)
        return (await inSharedTurn(() => tryHere(validate, value))) ?? checkThere(schema, value)
      }
      return { check, ...(unchecked !== undefined && { unchecked }) }
    },
    warmUp() {
      functions.warmUp().catch(() => {}) // the first check tries again, and says so
    },
  }
}

function findingsOf(validate: ValidateFunction, value: Json): SchemaFindings {
  return validate(value) ? nothingWrong : (validate.errors ?? nothingWrong)
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
 * Bounds work that blocks the event loop. V8 checks the limit inside loops, calls and regular expressions alike.
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
