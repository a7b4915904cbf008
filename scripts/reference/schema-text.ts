import { code } from './markdown.ts'

/** The part of JSON Schema that the contract's schemas come out as. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly format?: string
  readonly contentMediaType?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly default?: unknown
}

const count = (value: number) => value.toLocaleString('en')

/** `1 to 64`, `at most 64`, `at least 1`; empty when there is no limit. */
function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === Number.MIN_SAFE_INTEGER && max === Number.MAX_SAFE_INTEGER) return '' // any whole number
  if (min === undefined && max === undefined) return ''
  if (min === undefined) return `, at most ${count(max ?? 0)}${unit}`
  return max === undefined ? `, at least ${count(min)}${unit}` : `, ${count(min)} to ${count(max)}${unit}`
}

/** What a value may be, in words. */
export function typeText(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    if (name === 'Json') return 'any JSON'
    return `[${name}](#${name.toLowerCase()})`
  }
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(', ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(typeText).join(' or ')
  if (schema.type === 'array') {
    const of = schema.items?.properties ? 'objects' : schema.items ? typeText(schema.items) : 'anything'
    const size = range(schema.minItems, schema.maxItems, '').slice(', '.length)
    return size === '' ? `list of ${of}` : `list of ${of} (${size} entries)`
  }
  if (schema.type === 'string') {
    if (schema.format === 'date-time') return 'timestamp, ISO 8601'
    if (schema.contentMediaType !== undefined) return 'bytes'
    return `string${range(schema.minLength, schema.maxLength, ' characters')}`
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    const above = schema.exclusiveMinimum === undefined ? '' : `, above ${count(schema.exclusiveMinimum)}`
    return `${schema.type}${range(schema.minimum, schema.maximum, '')}${above}`
  }
  if (typeof schema.type === 'string') return schema.type
  return schema.type?.join(' or ') ?? 'anything'
}

/** One field of a body. */
interface FieldRow {
  /** `device.id`, `requests[].id`. */
  readonly name: string
  readonly type: string
  readonly required: boolean
}

/** The fields of an object, those of objects inside it included; of alternatives, those of each. */
export function fieldRows(schema: JsonSchema, prefix = ''): FieldRow[] {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return mergeRows(choices.map((choice) => fieldRows(choice, prefix)))
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = `${prefix}${key}`
    const fallback = field.default === undefined ? '' : `; default ${code(JSON.stringify(field.default))}`
    const row = { name, type: typeText(field) + fallback, required: schema.required?.includes(key) ?? false }
    if (field.properties) return [row, ...fieldRows(field, `${name}.`)]
    if (field.items?.properties) return [row, ...fieldRows(field.items, `${name}[].`)]
    return [row]
  })
}

/** Fields of alternatives in one list: a field that one of them lacks is not required. */
function mergeRows(alternatives: readonly (readonly FieldRow[])[]): FieldRow[] {
  const merged = new Map<string, FieldRow>()
  for (const rows of alternatives) {
    for (const row of rows) {
      const known = merged.get(row.name)
      const type = known && known.type !== row.type ? `${known.type} or ${row.type}` : row.type
      const everywhere = alternatives.every((each) =>
        each.some(({ name, required }) => name === row.name && required),
      )
      merged.set(row.name, { name: row.name, type, required: everywhere })
    }
  }
  return [...merged.values()]
}
