import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../runtime-error.ts'

const secretName = /(key|token|secret|password|credential)s?$/i

/**
 * Names of a config's secret properties: `format: password` or `writeOnly` in the schema. Without a schema nothing is
 * known about them, and names that look like a secret's are taken for one.
 */
export function secretProperties(schema: JsonObject | undefined, config: JsonObject): ReadonlySet<string> {
  if (!schema) return new Set(Object.keys(config).filter((name) => secretName.test(name)))
  const properties = asObject(schema['properties'])
  const secret = Object.entries(properties).filter(([, given]) => {
    const property = asObject(given)
    return property['format'] === 'password' || property['writeOnly'] === true
  })
  return new Set(secret.map(([name]) => name))
}

/** The config with secrets as booleans: whether they are set. */
export function hideSecrets(schema: JsonObject | undefined, config: JsonObject): JsonObject {
  const secrets = [...secretProperties(schema, config)].map((name) => [name, isSet(config[name])] as const)
  return { ...config, ...Object.fromEntries(secrets) }
}

/**
 * A new config in the place of an old one. A secret that is absent or `true`, as it was shown, keeps its value;
 * `null`, `false` and the empty text clear it.
 */
export function replaceConfig(
  schema: JsonObject | undefined,
  old: JsonObject,
  given: JsonObject,
): JsonObject {
  const next = { ...given }
  for (const name of secretProperties(schema, { ...old, ...given })) {
    const value = next[name]
    if (value === undefined || value === true) {
      delete next[name]
      if (isSet(old[name])) next[name] = old[name]!
    } else if (!isSet(value)) delete next[name]
  }
  return next
}

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
  // ajv-formats is typed without exactOptionalPropertyTypes; both are the same class at run time.
  addFormats.default(ajv as unknown as Parameters<typeof addFormats.default>[0])
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

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== ''
}

function asObject(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
