import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonObject } from '@homeward/contract/agent-platform'

/** What a Standard Schema says of itself, with its JSON Schema if the library gives one. */
export type StandardProps = StandardSchemaV1.Props & {
  readonly jsonSchema?: { input(options: { readonly target: string }): Readonly<Record<string, unknown>> }
}

/** The part of a schema that all libraries share; undefined for anything else. */
export function standardOf(schema: unknown): StandardProps | undefined {
  const isHolder = (typeof schema === 'object' && schema !== null) || typeof schema === 'function'
  const standard = isHolder ? (schema as Partial<StandardSchemaV1>)['~standard'] : undefined
  return typeof standard?.validate === 'function' ? standard : undefined
}

/** Parses a value. */
export type ParseValue = (value: unknown) => Promise<StandardSchemaV1.Result<unknown>>

/**
 * How a schema parses values. zod tries a schema without waiting first, and again with waiting if part of it takes time: whatever
 * comes before that part would run twice, and a check that rejects would end the process. So zod is asked to wait at once.
 */
export function parserOf(schema: StandardSchemaV1): ParseValue {
  const standard = schema['~standard']
  const { safeParseAsync } = schema as Partial<Waiting>
  if (standard.vendor !== 'zod' || typeof safeParseAsync !== 'function')
    return async (value) => standard.validate(value)
  return async (value) => {
    const parsed = await safeParseAsync(value)
    return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues }
  }
}

/** What a schema of zod has besides. */
interface Waiting {
  safeParseAsync(
    this: void,
    value: unknown,
  ): Promise<
    | { readonly success: true; readonly data: unknown }
    | { readonly success: false; readonly error: { readonly issues: readonly StandardSchemaV1.Issue[] } }
  >
}

/**
 * The JSON Schema of what a schema reads, not of what it makes of that: a model writes what is read.
 *
 * @returns undefined if the library gives none
 * @throws whatever the library throws for a schema that JSON Schema cannot describe
 */
export function readJsonSchema({ jsonSchema }: StandardProps): JsonObject | undefined {
  return jsonSchema && toPlainSchema(jsonSchema.input({ target: 'draft-2020-12' }))
}

/** Without functions and other things that are not JSON. */
export const toPlainSchema = (schema: object) => JSON.parse(JSON.stringify(schema)) as JsonObject // an object stays one

const maxIssues = 5

/** Says what is wrong with a value. @param root what the value is called where an issue has no path */
export function describeIssues(issues: readonly StandardSchemaV1.Issue[], root: string): string {
  const told = issues.slice(0, maxIssues).map(({ message, path = [] }) => {
    const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
    return `${keys.length > 0 ? `/${keys.join('/')}` : root}: ${message}`
  })
  const more = issues.length - told.length
  return told.join('; ') + (more > 0 ? `; and ${more} more` : '')
}
