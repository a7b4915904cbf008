import * as fc from 'fast-check'
import { drawKnown } from './known-names.ts'

/** A JSON Schema as an OpenAPI 3.1 document has it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** How values are drawn. */
export interface ValueSource {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** Whether now and then something that no schema takes is drawn instead. */
  readonly isBroken: boolean
  /** Names of fields and parameters whose values come from {@link drawKnown}. */
  readonly knownNames: ReadonlySet<string>
}

/** Values that nobody expects. */
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    true,
    -1,
    0,
    1e308,
    2 ** 53,
    -0.5,
    '',
    ' ',
    '\0',
    '../..',
    '%00',
    '__proto__',
    '🧨\u202e',
    '\ud800',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom([], {}, [[]], { constructor: { prototype: 1 } }, 'x'.repeat(5000)),
  fc.integer({ min: 50, max: 300 }).map((depth) => {
    let value: unknown = 1
    for (let at = 0; at < depth; at += 1) value = [value]
    return value
  }),
)

/** Mostly the one, now and then the other. */
export const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: rare })

const deepest = 6

/** Values of a schema; `name` is the field or parameter that they are for. */
export function drawValue(
  source: ValueSource,
  schema: JsonSchema,
  name: string,
  depth = 0,
): fc.Arbitrary<unknown> {
  const value = drawOf(source, schema, name, depth)
  return source.isBroken ? mostly(value, oddValue) : value
}

function drawOf(source: ValueSource, schema: JsonSchema, name: string, depth: number): fc.Arbitrary<unknown> {
  const { $ref, anyOf, oneOf, enum: choices, const: only, type } = schema
  if (typeof $ref === 'string') {
    if (depth > deepest) return fc.constant(null)
    return drawValue(source, source.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, name, depth + 1)
  }
  const options = anyOf ?? oneOf
  if (Array.isArray(options)) {
    return fc.oneof(...options.map((each: JsonSchema) => drawValue(source, each, name, depth + 1)))
  }
  if (Array.isArray(choices)) return fc.constantFrom(...(choices as unknown[]))
  if (only !== undefined) return fc.constant(only)
  const kind: unknown = Array.isArray(type) ? (type as unknown[])[0] : type
  if (kind === 'object') return drawObject(source, schema, depth)
  if (kind === 'array') return drawArray(source, schema, name, depth)
  if (kind === 'integer' || kind === 'number') return drawNumber(source, schema, kind)
  if (kind === 'boolean') return fc.boolean()
  if (kind === 'null') return fc.constant(null)
  const text = drawText(schema)
  return source.knownNames.has(name) ? mostly<unknown>(drawKnown(name), text) : text
}

function drawObject(
  source: ValueSource,
  { properties, required }: JsonSchema,
  depth: number,
): fc.Arbitrary<unknown> {
  if (!properties) {
    return fc.dictionary(fc.string({ maxLength: 8 }), source.isBroken ? oddValue : fc.string(), {
      maxKeys: 3,
      noNullPrototype: true,
    })
  }
  const needed = new Set((required as string[] | undefined) ?? [])
  const parts = Object.entries(properties).map(([name, inner]) => {
    const value = drawValue(source, inner as JsonSchema, name, depth + 1)
    const left = fc.constant(undefined)
    const often = source.knownNames.has(name) ? value : left
    return [name, needed.has(name) ? value : fc.oneof(left, often, value)] as const
  })
  // Undefined is how JSON leaves a field out.
  return fc.record(Object.fromEntries(parts), { noNullPrototype: true })
}

function drawArray(
  source: ValueSource,
  { items, minItems, maxItems }: JsonSchema,
  name: string,
  depth: number,
): fc.Arbitrary<unknown> {
  const minLength = Number(minItems ?? 0)
  return fc.array(drawValue(source, (items ?? {}) as JsonSchema, name, depth + 1), {
    minLength,
    maxLength: Math.max(minLength, Math.min(4, Number(maxItems ?? 4))),
  })
}

function drawNumber(
  { isBroken }: ValueSource,
  { minimum, exclusiveMinimum, maximum }: JsonSchema,
  kind: 'integer' | 'number',
): fc.Arbitrary<number> {
  const min = Number(minimum ?? exclusiveMinimum ?? 0)
  const max = Number(maximum ?? 100_000)
  // Whole numbers for a caller who means well: nobody allows a run for 1e-300 seconds.
  if (kind === 'integer' || !isBroken) {
    const least = exclusiveMinimum === undefined ? min : min + 1
    return fc.integer({ min: least, max: Math.min(max, 2 ** 31 - 1) })
  }
  return fc.double({ min, max, noNaN: true, minExcluded: exclusiveMinimum !== undefined })
}

function drawText({ pattern, format, minLength, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') {
    return fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((at) => at.toISOString())
  }
  // Addresses where nobody is: what is asked to fetch something finds nothing.
  if (format === 'uri') return fc.constantFrom('http://127.0.0.1:9', 'https://127.0.0.1:9/x')
  const length = { minLength: Number(minLength ?? 0), maxLength: Math.min(40, Number(maxLength ?? 40)) }
  const text = fc.string({ unit: 'grapheme', ...length })
  if (typeof pattern !== 'string') return text
  // What a class of all characters but some takes is found sooner by chance than by construction.
  const expression = new RegExp(pattern, 'u')
  if (pattern.includes('[^')) return text.filter((drawn) => expression.test(drawn))
  return fc.stringMatching(new RegExp(pattern))
}
