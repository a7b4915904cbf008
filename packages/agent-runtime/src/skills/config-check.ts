import type { JsonObject } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../runtime-error.ts'

/**
 * Checks a config against the skill's schema (JSON Schema, by ajv: it knows all of the language).
 *
 * @throws {RuntimeError} `validation_error` that names the property, or `invalid_skill` when the schema is none.
 */
export async function checkConfig(schema: JsonObject, config: JsonObject): Promise<void> {
  const [{ Ajv2020 }, { default: addFormats }] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
  ])
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false })
  addFormats.default(ajv)
  const { $schema: _dialect, $id: _id, ...rules } = schema
  const validate = compile(() => ajv.compile(rules))
  if (validate(config)) return
  const [problem] = validate.errors ?? []
  const where = problem?.instancePath.slice(1).replaceAll('/', '.') || 'config'
  throw new RuntimeError(
    'validation_error',
    `Saving the config failed: ${where} ${problem?.message ?? 'is not valid'}.`,
  )
}

function compile<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw new RuntimeError(
      'invalid_skill',
      "Checking the config failed: the skill's config.schema.json is not a valid JSON Schema.",
      { cause },
    )
  }
}
