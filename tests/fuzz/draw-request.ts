import * as fc from 'fast-check'
import { drawValue, mostly, type JsonSchema, type ValueSource } from './draw-value.ts'
import { fillKnown, type KnownValues } from './known-names.ts'

/** The part of an OpenAPI document that requests are drawn from. */
export interface DrawnDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DrawnOperation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
}

interface DrawnParameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

/** One operation of it. */
export interface DrawnOperation {
  readonly operationId: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly DrawnParameter[]
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

/** A request that still has to learn what exists. */
type RequestDraft = (known: KnownValues) => DrawnRequest

/** What requests are drawn with. */
interface DrawOptions {
  /** Fields and parameters that name what exists. */
  readonly knownNames: readonly string[]
  /** Credentials of a caller who may do what the operation does. */
  readonly authorizationOf: (operation: DrawnOperation) => string
  /** Credentials of others. */
  readonly strangers: readonly string[]
}

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

interface Place {
  readonly template: string
  readonly method: string
  readonly operation: DrawnOperation
}

/** Draws requests of every operation of a document: three of four as it says, the others broken somewhere. */
export function drawRequest(document: DrawnDocument, options: DrawOptions): fc.Arbitrary<RequestDraft> {
  const places = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]): Place => ({
      template,
      method: method.toUpperCase(),
      operation,
    })),
  )
  const schemas = document.components?.schemas ?? {}
  const knownNames = new Set(options.knownNames)
  return fc.oneof(
    ...places.flatMap((place) =>
      [false, true].map((isBroken) => ({
        weight: weightOf(place.operation) * (isBroken ? 1 : 3),
        arbitrary: drawFor(place, { schemas, isBroken, knownNames }, options),
      })),
    ),
  )
}

/** What takes a body changes something, or creates it: more of those, or there would be little to lose. */
function weightOf({ requestBody, responses }: DrawnOperation): number {
  if (!requestBody?.content['application/json']) return 1
  return responses['201'] || responses['202'] ? 8 : 3
}

function drawFor(
  { template, method, operation }: Place,
  source: ValueSource,
  { authorizationOf, strangers }: DrawOptions,
): fc.Arbitrary<RequestDraft> {
  const { parameters = [], requestBody } = operation
  const named = parameters.filter((parameter) => parameter.in !== 'header')
  const schema = requestBody?.content['application/json']?.schema
  const right = fc.constant(authorizationOf(operation))
  const nothing = fc.constant({})
  return fc
    .record({
      values: fc.tuple(...named.map(({ name, schema: each }) => drawValue(source, each, name))),
      asked: fc.tuple(...named.map(({ required = false }) => (required ? fc.constant(true) : fc.boolean()))),
      value: schema ? drawValue(source, schema, '') : fc.constant(undefined),
      instead: source.isBroken && requestBody ? mostly(nothing, fc.record({ body: brokenBody })) : nothing,
      odd: source.isBroken ? mostly<Record<string, string>>(nothing, oddHeaders) : nothing,
      who: source.isBroken ? mostly(right, fc.constantFrom(...strangers)) : right,
    })
    .map((drawn) => (known) => {
      const text = (value: unknown) => asText(fillKnown(value, template, known))
      const type: Record<string, string> = schema ? { 'content-type': 'application/json' } : {}
      const credentials: Record<string, string> = drawn.who === '' ? {} : { authorization: drawn.who }
      const whole: { readonly body?: DrawnRequest['body'] } = {
        body: schema ? JSON.stringify(fillKnown(drawn.value, template, known)) : undefined,
        ...drawn.instead,
      }
      return {
        method,
        template,
        path: toPath(template, named, (at) => (drawn.asked[at] ? text(drawn.values[at]) : undefined)),
        headers: { ...type, ...credentials, ...drawn.odd },
        body: whole.body,
      }
    })
}

function toPath(
  template: string,
  parameters: readonly DrawnParameter[],
  textAt: (at: number) => string | undefined,
): string {
  let path = template
  const query = new URLSearchParams()
  for (const [at, { name, in: place }] of parameters.entries()) {
    const text = textAt(at)
    if (place === 'path') path = path.replace(`{${name}}`, () => toSegment(text ?? ''))
    else if (text !== undefined) query.append(name, text)
  }
  return query.size > 0 ? `${path}?${query.toString()}` : path
}

/** Dots alone are steps of the path, encoded or not: no client can send them. */
const toSegment = (text: string) => encodeURIComponent(/^\.{0,2}$/.test(text) ? '-' : text)
const asText = (value: unknown) =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()
