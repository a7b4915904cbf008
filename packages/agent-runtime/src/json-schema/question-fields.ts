import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../json/json-object.ts'

// A JSON Schema as questions to a person: one for each field, in order.

/** One value of a list to choose from. */
interface Option {
  readonly label: string
  readonly value: Json
}

/** What one message of a person answers. */
export interface QuestionField {
  /** Name of the property; undefined if the answer is the whole. */
  readonly name?: string
  readonly schema: JsonObject
  readonly options: readonly Option[]
}

/** The fields of a question, in order. There is at least one. */
export function fieldsOf({
  schema = { type: 'string' },
}: {
  readonly schema?: JsonObject | undefined
}): QuestionField[] {
  const whole = resolve(schema, schema)
  const properties = isJsonObject(whole['properties']) ? Object.entries(whole['properties']) : []
  if (properties.length === 0) return [toField(whole)]
  return properties.map(([name, given]) => ({ name, ...toField(resolve(given, schema)) }))
}

function toField(schema: JsonObject): QuestionField {
  if (typeOf(schema) !== 'boolean') return { schema, options: optionsOf(schema) }
  const options = [
    { label: 'Yes', value: true },
    { label: 'No', value: false },
  ]
  return { schema, options }
}

/** A schema without a reference at its top, with the definitions that it may refer to. */
function resolve(given: Json, root: JsonObject): JsonObject {
  let schema = isJsonObject(given) ? given : {}
  for (let depth = 0; depth < 8; depth += 1) {
    const path = /^"#\/(\$defs|definitions)\/([^/]+)"$/.exec(JSON.stringify(schema['$ref'] ?? ''))
    const found = path && (root[path[1] ?? ''] as JsonObject | undefined)?.[path[2] ?? '']
    if (!isJsonObject(found)) break
    schema = found
  }
  const { $defs, definitions } = root
  return {
    ...schema,
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
}

/** The only type of a schema, apart from null. */
export function typeOf({ type }: JsonObject): string | undefined {
  const types = [type ?? []].flat().filter((one) => typeof one === 'string' && one !== 'null')
  return types.length === 1 && typeof types[0] === 'string' ? types[0] : undefined
}

function optionsOf(schema: JsonObject): Option[] {
  const { enum: values, enumNames: names, oneOf, anyOf } = schema
  if (Array.isArray(values))
    return values.map((value, index) => ({
      label: labelOf(Array.isArray(names) ? names[index] : undefined, value),
      value,
    }))
  const variants = [oneOf ?? anyOf ?? []].flat()
  const isList =
    variants.length > 0 && variants.every((one) => isJsonObject(one) && one['const'] !== undefined)
  if (!isList) return []
  return variants.flatMap((one) =>
    isJsonObject(one)
      ? [{ label: labelOf(one['title'], one['const'] ?? null), value: one['const'] ?? null }]
      : [],
  )
}

const labelOf = (name: unknown, value: Json) =>
  typeof name === 'string' ? name : typeof value === 'string' ? value : JSON.stringify(value)

/** The entries of a list; undefined if the answer is not a list. */
export function entriesOf({ schema }: QuestionField): QuestionField | undefined {
  const { items } = schema
  return typeOf(schema) === 'array' ? toField(isJsonObject(items) ? items : {}) : undefined
}

/** Whether any text is an answer. */
export const isText = ({ schema }: QuestionField) =>
  [undefined, 'string'].includes(typeOf(schema)) && !schema['properties']

/** What a text of a person says; undefined if it does not fit. */
export function readAnswer(field: QuestionField, given: string): { readonly value: Json } | undefined {
  const text = given.trim()
  if (text === '') return undefined
  const type = typeOf(field.schema)
  if (type === 'boolean') return readBoolean(text)
  const entries = entriesOf(field)
  if (entries) return readList(entries, text)
  if (field.options.length > 0) return readOption(field.options, text)
  if (type === 'integer') return /^[+-]?\d+$/.test(text) ? readNumber(text) : undefined
  if (type === 'number')
    return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? readNumber(text) : undefined
  if (isText(field)) return { value: text.toWellFormed() }
  try {
    return { value: JSON.parse(text) as Json }
  } catch {
    return undefined
  }
}

function readBoolean(text: string): { readonly value: Json } | undefined {
  const word = text.toLowerCase()
  if (['true', 'yes', '1'].includes(word)) return { value: true }
  return ['false', 'no', '0'].includes(word) ? { value: false } : undefined
}

/** A number that JSON keeps as it is. */
function readNumber(text: string): { readonly value: Json } | undefined {
  const value = Number(text)
  const isExact = Number.isFinite(value) && (!/^[+-]?\d+$/.test(text) || Number.isSafeInteger(value))
  return isExact ? { value } : undefined
}

function readOption(options: readonly Option[], text: string): Option | undefined {
  const word = text.toLowerCase()
  const spellings = ({ label, value }: Option) => [label.trim(), labelOf(undefined, value).trim()]
  return (
    options.find((option) => spellings(option).includes(text)) ??
    options.find((option) => spellings(option).some((one) => one.toLowerCase() === word))
  )
}

function readList(entries: QuestionField, text: string): { readonly value: Json } | undefined {
  const given = text.split(/[,;\n]/).filter((entry) => entry.trim() !== '')
  const values = given.flatMap((entry) => readAnswer(entries, entry)?.value ?? [])
  return values.length === given.length ? { value: [...new Set(values)] } : undefined
}
