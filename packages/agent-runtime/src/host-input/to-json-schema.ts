import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { readJsonSchema, standardOf, toPlainSchema, type StandardProps } from './standard-schema.ts'

/**
 * The JSON Schema that a schema of a library gives for what it reads.
 *
 * @param fail makes the error of what is wrong, which begins with a verb
 * @throws the error of `fail`
 */
export async function toJsonSchema(
  schema: StandardSchemaV1,
  fail: (problem: string, cause?: unknown) => Error,
): Promise<JsonObject> {
  const standard = standardOf(schema) // an app without types may give anything
  if (!standard) throw fail('must be a Standard Schema')
  let made: JsonObject | undefined
  try {
    made = readJsonSchema(standard) ?? (await convert(schema, standard))
  } catch (cause) {
    throw fail(
      `cannot be converted to JSON Schema: ${cause instanceof Error ? cause.message : 'unknown'}`,
      cause,
    )
  }
  if (made) return made
  throw fail(`of ${standard.vendor.slice(0, 50)} cannot be converted to JSON Schema`)
}

/** zod/mini says no more of itself than its vendor. */
async function convert(schema: StandardSchemaV1, { vendor }: StandardProps): Promise<JsonObject | undefined> {
  if (vendor !== 'zod') return undefined
  const { toJSONSchema } = await import('zod/v4/core')
  const core = schema as unknown as Parameters<typeof toJSONSchema>[0] // as its vendor says
  return toPlainSchema(toJSONSchema(core, { io: 'input' }))
}

/** What to do about a schema that gives no JSON Schema. */
export const schemaRemedy =
  'Use a schema of zod 4 or ArkType, or wrap a Valibot schema in toStandardJsonSchema(schema).'
