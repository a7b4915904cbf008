import * as fc from 'fast-check'

/** A JSON Schema as an OpenAPI 3.1 document has it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The part of an OpenAPI document that requests are drawn from. */
export interface DrawnDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DrawnOperation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
}

/** One operation of it. */
export interface DrawnOperation {
  readonly operationId: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema: JsonSchema
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

/** A request to try. */
export interface DrawnRequest {
  readonly method: string
  readonly template: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
}

const odd: fc.Arbitrary<unknown> = fc.oneof(
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

/** Values of a schema, and now and then of none. `ids` are ones that exist. */
function valueOf(
  document: DrawnDocument,
  schema: JsonSchema,
  ids: readonly string[],
  depth = 0,
): fc.Arbitrary<unknown> {
  const { $ref, anyOf, oneOf, enum: choices, const: only, type, properties, items, required } = schema
  const next = (inner: unknown) => valueOf(document, inner as JsonSchema, ids, depth + 1)
  if (typeof $ref === 'string') {
    return depth > 6 ? odd : next(document.components?.schemas?.[$ref.split('/').at(-1) ?? ''] ?? {})
  }
  const options = anyOf ?? oneOf
  if (Array.isArray(options)) return fc.oneof(...options.map(next))
  if (Array.isArray(choices)) return fc.constantFrom(...(choices as unknown[]))
  if (only !== undefined) return fc.constant(only)
  const kind = Array.isArray(type) ? (type as unknown[])[0] : type
  if (kind === 'object' && properties) {
    const names = required as string[] | undefined
    const parts = Object.entries(properties).map(([name, inner]) => [name, mostly(next(inner), odd)] as const)
    return fc.record(Object.fromEntries(parts), { requiredKeys: (names ?? []) as never[] })
  }
  if (kind === 'object') return fc.dictionary(fc.string({ maxLength: 8 }), odd, { maxKeys: 3 })
  if (kind === 'array') return fc.array(next(items ?? {}), { minLength: 1, maxLength: 4 })
  if (kind === 'integer') return fc.integer({ min: 0, max: 100_000 })
  if (kind === 'number') return fc.double({ noNaN: true })
  if (kind === 'boolean') return fc.boolean()
  return fc.oneof(fc.constantFrom(...ids, 'files', 'report'), fc.string({ minLength: 1, maxLength: 20 }))
}

const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: rare })

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Bodies that are no JSON of the schema at all, and headers that lie about them. */
const brokenBody = fc.constantFrom<DrawnRequest['body']>(
  '',
  '{',
  'null',
  '[]',
  '"',
  '{"a":1,"a":2}',
  '\ufeff{}',
  `{"metadata":${'['.repeat(5000)}`,
  new Uint8Array([0xff, 0xfe, 0x7b]),
)
const oddHeaders = fc.constantFrom<Record<string, string>>(
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'multipart/form-data' },
  { 'content-type': 'application/json, application/json' },
  { 'content-encoding': 'gzip' },
  { prefer: 'wait=0, wait=0, wait=x' },
  { 'idempotency-key': 'k'.repeat(300) },
  { 'idempotency-key': 'same' },
  { accept: 'text/html' },
)

/** Draws requests of every operation of a document, valid and broken. */
export function drawRequest(
  document: DrawnDocument,
  ids: readonly string[],
  authorization: readonly string[],
): fc.Arbitrary<DrawnRequest> {
  const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      template,
      method: method.toUpperCase(),
      operation,
    })),
  )
  return fc.constantFrom(...operations).chain(({ template, method, operation }) => {
    const { parameters = [], requestBody } = operation
    const named = parameters.filter((parameter) => parameter.in !== 'header')
    const schema = requestBody?.content['application/json']?.schema
    const values = named.map((parameter) => mostly(valueOf(document, parameter.schema, ids), odd))
    const body = schema
      ? valueOf(document, schema, ids).map((value) => JSON.stringify(value))
      : fc.constant(undefined)
    return fc
      .record({
        values: fc.tuple(...values),
        asked: fc.array(fc.boolean(), { minLength: named.length, maxLength: named.length }),
        body: mostly<DrawnRequest['body']>(body, requestBody ? brokenBody : fc.constant(undefined)),
        odd: mostly<Record<string, string>>(fc.constant({}), oddHeaders),
        who: fc.constantFrom(...authorization),
      })
      .map((drawn) => {
        let path = template
        const query = new URLSearchParams()
        for (const [at, { name, in: place }] of named.entries()) {
          const text = asText(drawn.values[at]).toWellFormed()
          if (place === 'path')
            path = path.replace(`{${name}}`, encodeURIComponent(text || '-').replaceAll('.', '%2E'))
          else if (drawn.asked[at]) query.append(name, text)
        }
        const type: Record<string, string> = schema ? { 'content-type': 'application/json' } : {}
        const credentials: Record<string, string> = drawn.who === '' ? {} : { authorization: drawn.who }
        const search = query.size > 0 ? `?${query.toString()}` : ''
        return {
          method,
          template,
          path: path + search,
          headers: { ...type, ...credentials, ...drawn.odd },
          body: drawn.body,
        }
      })
  })
}
