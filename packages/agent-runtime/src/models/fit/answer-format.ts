import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { isObject, resolveReference } from './clean-schema.ts'
import type { WireRules } from './wire-rules.ts'
import { toWireSchema } from './wire-schema.ts'

/** A schema that a provider holds its model to. */
interface AnswerFormat {
  readonly schema: JSONSchema7
  /** Whether OpenAI's strict mode takes it: every property required, and only keywords that it knows. */
  readonly isStrict: boolean
}

/** Keywords of OpenAI's strict mode. */
const strictKeywords = new Set(
  (
    'type properties required additionalProperties items enum anyOf $ref $defs description title ' +
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf pattern minItems maxItems'
  ).split(' '),
)

const formats = new WeakMap<object, { readonly format: AnswerFormat | undefined }>()

/**
 * Fits the schema of an answer to the provider. Where the provider cannot hold its model to the schema while tools are
 * offered, the model reads the schema in its system message instead: that works on every provider, and tools stay callable.
 * A tool of its own for the answer would not: models that reject forced tool use could leave it out, and servers without
 * tools have none. The answer is checked against the true schema either way.
 */
export function fitAnswerFormat(
  options: LanguageModelV4CallOptions,
  rules: WireRules,
): LanguageModelV4CallOptions {
  const { responseFormat, tools = [] } = options
  if (responseFormat?.type !== 'json' || !responseFormat.schema) return options
  const isHeld =
    rules.answerSchema === 'always' || (rules.answerSchema === 'without-tools' && tools.length === 0)
  const format = isHeld ? formatOf(responseFormat.schema) : undefined
  if (!format) return inWords(options)
  const { providerOptions = {} } = options
  const loose = { strictJsonSchema: false }
  return {
    ...options,
    responseFormat: { ...responseFormat, schema: format.schema },
    ...(!format.isStrict && {
      providerOptions: {
        ...providerOptions,
        openai: { ...loose, ...providerOptions['openai'] },
        openaiCompatible: { ...loose, ...providerOptions['openaiCompatible'] },
      },
    }),
  }
}

/** A call that says in its system message what the answer has to look like, and asks the provider for nothing. */
export function inWords(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { responseFormat, ...others } = options
  if (responseFormat?.type !== 'json' || !responseFormat.schema) return options
  const text =
    'When the task is done, answer with one JSON value that matches the JSON Schema below and with nothing else: ' +
    'no explanation and no code fence. Until then you may call tools.\n' +
    `<json_schema>\n${JSON.stringify(responseFormat.schema).toWellFormed()}\n</json_schema>`
  return { ...others, prompt: withSystemText(options.prompt, text) }
}

function withSystemText(prompt: LanguageModelV4Prompt, text: string): LanguageModelV4Prompt {
  const [first, ...rest] = prompt
  if (first?.role !== 'system') return [{ role: 'system', content: text }, ...prompt]
  return [{ ...first, content: `${first.content}\n\n${text}` }, ...rest]
}

/** @returns undefined for a schema that providers reject, or that closing its objects would change */
function formatOf(schema: object): AnswerFormat | undefined {
  const known = formats.get(schema)
  if (known) return known.format
  const format = toFormat(schema)
  formats.set(schema, { format })
  return format
}

function toFormat(schema: object): AnswerFormat | undefined {
  const top = resolveReference(schema, schema)
  // Cleaning leaves these out, so that a closed object would forbid what they allow.
  const isOpen = top['additionalProperties'] === true || isObject(top['additionalProperties'])
  if (
    top['type'] !== 'object' ||
    isOpen ||
    /"(?:pattern|unevaluated)Properties"/.test(JSON.stringify(schema))
  )
    return undefined
  const { schema: wire, names } = toWireSchema(schema)
  const parts = new Set<string>()
  const closed = names.isEmpty ? close(wire, parts) : undefined
  return closed && { schema: closed, isStrict: [...parts].every((part) => strictKeywords.has(part)) }
}

const lists = ['anyOf', 'oneOf'] as const

/**
 * The same schema with objects that have no further properties, as Anthropic and OpenAI require.
 *
 * @param keywords - gets every keyword, and `optional` for a property that may be missing
 * @returns undefined when an object has to stay open
 */
function close(schema: JSONSchema7, keywords: Set<string>): JSONSchema7 | undefined {
  const { allOf, properties, $defs, items, ...closed } = schema
  for (const keyword of Object.keys(schema)) keywords.add(keyword)
  if (allOf) return undefined
  if (properties) {
    const more = schema.additionalProperties
    const isMixed = lists.some((list) => schema[list])
    const names = Object.keys(properties)
    if (isMixed || names.length === 0 || (more !== undefined && more !== false)) return undefined
    if (names.some((name) => !schema.required?.includes(name))) keywords.add('optional')
    closed.additionalProperties = false
  }
  const parts = {
    ...(properties && { properties: closeEach(properties, keywords) }),
    ...($defs && { $defs: closeEach($defs, keywords) }),
    ...(isObject(items) && { items: close(items, keywords) }),
    ...(closed.anyOf && { anyOf: closeAll(closed.anyOf, keywords) }),
    ...(closed.oneOf && { oneOf: closeAll(closed.oneOf, keywords) }),
  }
  if (Object.values(parts).includes(undefined)) return undefined
  return { ...closed, ...parts } // none of the parts is undefined
}

type Schemas = NonNullable<JSONSchema7['properties']>
type Branches = NonNullable<JSONSchema7['anyOf']>

/** @returns undefined when one of them has to stay open */
function closeAll(branches: Branches, keywords: Set<string>): Branches | undefined {
  const closed = branches.flatMap((branch) => (isObject(branch) ? (close(branch, keywords) ?? []) : []))
  return closed.length === branches.length ? closed : undefined
}

/** The same for schemas with names. */
function closeEach(schemas: Schemas, keywords: Set<string>): Schemas | undefined {
  const closed = closeAll(Object.values(schemas), keywords)
  return closed && Object.fromEntries(Object.keys(schemas).map((name, index) => [name, closed[index] ?? {}]))
}
