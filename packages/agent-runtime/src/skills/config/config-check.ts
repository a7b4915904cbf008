import type { JsonObject } from '@homeward/contract/agent-platform'
import { createSchemaCompiler, type CompiledSchema } from '../../json-schema/schema-compiler.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'

/**
 * Checks a config against the JSON Schema of its skill.
 *
 * @throws {RuntimeError} `validation_error` that names the property.
 */
export type ConfigCheck = (schema: JsonObject, config: JsonObject) => Promise<void>

/** Makes the check. A schema is compiled once, for as long as its skill is loaded. */
export function createConfigCheck(): ConfigCheck {
  const compiler = createSchemaCompiler()
  const known = new WeakMap<JsonObject, Promise<CompiledSchema>>()

  function compile(schema: JsonObject): Promise<CompiledSchema> {
    const compiling = compiler.compile(schema)
    known.set(schema, compiling)
    compiling.catch(() => known.delete(schema)) // what it takes could not be loaded: it may be the next time
    return compiling
  }

  return async (schema, config) => {
    const compiled = await (known.get(schema) ?? compile(schema))
    const findings = await compiled.check(config)
    if ('unknown' in findings) throw invalid('config', findings.unknown)
    const [problem] = findings
    if (problem === undefined) return
    const where = problem.instancePath.slice(1).replaceAll('/', '.') || 'config'
    throw invalid(where, problem.message ?? 'is invalid')
  }
}

function invalid(where: string, problem: string): RuntimeError {
  return new RuntimeError('validation_error', `Saving the config failed: ${where} ${problem}.`)
}
