import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'
import { cut } from '../../json/to-json.ts'
import type { MessageButton } from '../../ports/channel.ts'
import type { StoredWait } from '../../store/ports/wait.ts'

// A JSON Schema as questions to a person: one for each field, in order. Messages are for chats.

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

/** Most options that get buttons. */
const maxButtons = 10
/** Most characters of a label: Discord takes 80, Slack 75. */
const maxLabel = 70
const maxListed = 100

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

/** The message that asks the first field of a question. */
export function announceQuestion(wait: StoredWait, code: string) {
  const [field] = fieldsOf(wait)
  const buttons = field && buttonsOf(field, code)
  return { text: field ? questionText(wait, field, true) : '', ...(buttons && { buttons }) }
}

/** Buttons of a question; undefined if it has no options, or too many. */
export function buttonsOf({ options }: QuestionField, code: string): readonly MessageButton[] | undefined {
  if (options.length === 0 || options.length > maxButtons) return undefined
  return options.map(({ label }, index) => ({
    label: label.trim() === '' ? '(empty)' : label.length > maxLabel ? `${cut(label, maxLabel - 1)}…` : label,
    command: `/answer ${code} ${index + 1}`,
  }))
}

/** What a person reads, in Markdown. */
export function questionText(
  { message = '' }: Pick<StoredWait, 'message'>,
  field: QuestionField,
  isFirst: boolean,
): string {
  const { title, description } = field.schema
  const name = typeof title === 'string' ? title : field.name
  const about = [
    ...(name === undefined ? [] : [`**${name}**`]),
    ...(field.name !== undefined && typeof description === 'string' ? [description] : []),
  ].join(': ')
  const listed = (entriesOf(field) ?? field).options.slice(0, maxListed).map(({ label }) => `- ${label}`)
  const parts = [
    isFirst ? message : '',
    about,
    listed.join('\n'),
    `${hintOf(field)}To decline, write \`/skip\`.`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function hintOf(field: QuestionField): string {
  const type = typeOf(field.schema)
  const entries = entriesOf(field)
  if (entries)
    return entries.options.length > 0 ? 'Choose any, separated by commas. ' : 'Separate entries by commas. '
  if (type === 'boolean') return 'Answer yes or no. '
  if (field.options.length > 0) return 'Choose one. '
  if (type === 'integer') return 'Answer with a number without decimals. '
  if (type === 'number') return 'Answer with a number. '
  return isText(field) ? '' : 'Answer in JSON. '
}

/** Whether any text is an answer. */
export const isText = ({ schema }: QuestionField) =>
  [undefined, 'string'].includes(typeOf(schema)) && !schema['properties']

/** Why a text does not answer a question, for the person. */
export const misfitText = (field: QuestionField, problem?: string) =>
  `That does not answer the question${problem === undefined ? '' : `: ${problem}`}. ${hintOf(field)}Try again, or write \`/skip\` to decline.`

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
