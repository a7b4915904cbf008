import { errorRepliesOf, type ErrorTable, type Operation, type Schema } from '@homeward/contract'
import type { OperationExamples } from '@homeward/contract/examples'
import { toOpenApi } from '@homeward/contract/openapi'
import { decisionLinks } from './decision-links.ts'
import { exampleSection } from './example-section.ts'
import { code, table } from './markdown.ts'
import { fieldRows, type JsonSchema, typeText } from './schema-text.ts'
import { fieldComments } from './source-comments.ts'

/** An interface that a page shows. */
export interface DocumentedInterface {
  readonly title: string
  readonly operations: Readonly<Record<string, Operation>>
  /** A recorded example of each operation. */
  readonly examples: OperationExamples
  /** Its own errors. @default the ones that every interface has */
  readonly errors?: ErrorTable
  /** Shapes that several operations share, in the order in which the page shows them. */
  readonly shapes: Readonly<Record<string, Schema>>
  /** Sources whose comments say what fields are. */
  readonly sources: readonly string[]
  /** Variables of those sources that hold the operations: `deviceCloudOperations`. */
  readonly tables: readonly string[]
  /** Objects whose fields another one takes in, by its name (`*`: by any): what is said about those counts for it. */
  readonly mixins: Readonly<Record<string, readonly string[]>>
  /** Shapes that callers send: what they have to hold counts, not what is always there. @default none */
  readonly inputs?: readonly string[]
  /** Bodies that the page shows elsewhere, by their operation. */
  readonly bodies?: Readonly<Record<string, string>>
}

/** Sections about an interface. */
export interface OperationSections {
  /** The section of each operation, by its id. */
  readonly operations: ReadonlyMap<string, string>
  /** The sections of each shape, by its name: the second one is for what callers send. */
  readonly shapes: ReadonlyMap<string, readonly string[]>
}

const callers = {
  device: 'a device, by `Authorization: Bearer <API key>`',
  enrolling: 'a device that enrolls, by `Authorization: Bearer <API key>` with the key that it made',
  session: 'a user, by a session of your app',
  local: 'a caller of the local platform',
  webhook: 'another service, by its signature',
  public: 'anybody',
} as const

interface Content {
  readonly description?: string
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

interface DescribedOperation {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: JsonSchema
  }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

type Explain = (field: string, place: string) => string

/** Makes the sections of an interface from its table and from what the sources say about fields. */
export function createOperationSections(shown: DocumentedInterface): OperationSections {
  const { operations, shapes, title, errors } = shown
  const options = { operations, schemas: shapes, title, version: '0', ...(errors && { errors }) }
  // The document is plain JSON; its type has the generator's own names for the same things.
  const { paths, components } = toOpenApi(options) as unknown as Described
  const explain = createExplain(shown)
  const sections = Object.entries(operations).map(([id, operation]) => {
    const described = paths[operation.path]?.[operation.method.toLowerCase()]
    if (!described) throw new Error(`Could not document ${id}: the OpenAPI document lacks it.`)
    return [id, operationSection(shown, id, described, explain)] as const
  })
  const shapeSections = Object.keys(shapes).map((name) => {
    const schema = components.schemas[name]
    if (!schema) throw new Error(`Could not document ${name}: no operation uses it.`)
    const taken = components.schemas[`${name}Input`]
    const presence = shown.inputs?.includes(name) ? 'Required' : 'Present'
    return [
      name,
      [
        `### ${name}\n\n${fieldTable(schema, name, presence, explain)}`,
        ...(taken ? [`### ${name}Input\n\n${fieldTable(taken, name, 'Required', explain)}`] : []),
      ],
    ] as const
  })
  return { operations: new Map(sections), shapes: new Map(shapeSections) }
}

function operationSection(
  { operations, errors, examples, bodies = {} }: DocumentedInterface,
  id: string,
  described: DescribedOperation,
  explain: Explain,
): string {
  const operation = operations[id] as Operation // one of its own keys
  const { method, path, auth, needs, scope, summary, source } = operation
  const [type = '', request] = Object.entries(described.requestBody?.content ?? {})[0] ?? []
  const statuses = errorRepliesOf(operation, errors?.replies).map(({ status }) => status)
  const follows = decisionLinks(source)
  const bodyPlace = `${id}.${operation.form ? 'form.fields' : 'body'}`
  return [
    `### ${id}`,
    code(`${method} ${path}`),
    summary,
    `Caller: ${callers[auth]}.${needs ? ` Needs: ${code(needs)}.` : ''}${scope ? ` Scope: ${code(scope)}.` : ''} Errors: ${statuses.join(', ')}.`,
    follows && `Decisions: ${follows}.`,
    parameterTable(id, described, explain),
    request ? `Body, ${code(type)}${formOf(operation)}:` : '',
    request ? (bodies[id] ?? tableOrType(request.schema, bodyPlace, 'Required', explain)) : '',
    answerSection(id, operation, described, explain),
    exampleSection(id, operation, examples[id]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** How a JSON body can come as a form, and how large it may be. */
function formOf({ bodyForm, maxBodyBytes }: Operation): string {
  if (!bodyForm) return ''
  const parts = `part ${code(bodyForm.body)} (this JSON) and parts ${code(bodyForm.file)} (added to ${code(bodyForm.list)})`
  const size = maxBodyBytes === undefined ? '' : `; at most ${maxBodyBytes / 1024 / 1024} MiB`
  return `, or ${code('multipart/form-data')} with ${parts}${size}`
}

function answerSection(
  id: string,
  { status = 200, reply, orEvents, replyHeaders = [] }: Operation,
  { responses }: DescribedOperation,
  explain: Explain,
): string {
  if (reply === 'bytes') return fileAnswer(status, responses)
  if (reply === 'platform') return `Answer ${status}: what the platform expects.`
  if (reply === 'text') return `Answer ${status}: plain text.`
  if (reply === 'page') return `Answer ${status}: a page.`
  if (reply === 'mcp') return `Answer ${status}: a message of the protocol, or a stream of them.`
  if (reply === 'events') {
    const end = responses['204'] ? ` 204: nothing. ${responses['204'].description ?? ''}` : ''
    return `Answer ${status}: server-sent events, see [Stream](#stream).${end}`
  }
  const schema = responses[String(status)]?.content?.['application/json']?.schema ?? {}
  const headers = replyHeaders.map(({ name, description }) => `${code(name)}: ${description}`)
  const told = headers.length === 0 ? '' : `\n\nHeaders of the answer:\n\n- ${headers.join('\n- ')}`
  const streamed = orEvents ? '\n\nWith `stream: true`: server-sent events.' : ''
  return `Answer ${status}:\n\n${tableOrType(schema, `${id}.reply`, 'Present', explain)}${streamed}${told}`
}

function fileAnswer(status: number, responses: DescribedOperation['responses']): string {
  const parts = responses['206']
    ? ' 206: the part of it that `Range` asks for. 304: nothing, as `If-None-Match` says.'
    : ''
  const headers = Object.entries(responses['206']?.headers ?? {}).map(
    ([name, { description = '' }]) => `${code(name)}: ${description}`,
  )
  const told = headers.length === 0 ? '' : `\n\nHeaders of the answer:\n\n- ${headers.join('\n- ')}`
  return `Answer ${status}: the bytes of the file.${parts}${told}`
}

function parameterTable(id: string, { parameters = [] }: DescribedOperation, explain: Explain): string {
  const rows = parameters.map(({ name, in: place, required = false, description, schema }) => {
    const note = description ?? explain(name, `${id}.${place === 'path' ? 'params' : 'query'}`)
    return [code(name), place, typeText(schema), required ? 'yes' : '', note]
  })
  return table(['Parameter', 'In', 'Type', 'Required', ''], rows)
}

/** The fields of an object; what is a shape, or has no fields of its own, in words. */
function tableOrType(
  schema: JsonSchema,
  place: string,
  presence: 'Required' | 'Present',
  explain: Explain,
): string {
  return fieldTable(schema, place, presence, explain) || `${typeText(schema)}.`
}

function fieldTable(
  schema: JsonSchema,
  place: string,
  presence: 'Required' | 'Present',
  explain: Explain,
): string {
  const yes = presence === 'Required' ? 'yes' : 'always'
  const rows = fieldRows(schema).map(({ name, type, required }) => {
    return [code(name), type, required ? yes : '', explain(name, place)]
  })
  return table(['Field', 'Type', presence, ''], rows)
}

/** What the sources say about a field: where it stands, in the schema it comes from, or in what shapes take in. */
function createExplain({ sources, tables, mixins }: DocumentedInterface): Explain {
  const said = sources.map((source) => fieldComments(source))
  const comments = new Map(said.flatMap((each) => [...each.comments]))
  const variables = new Map(said.flatMap((each) => [...each.variables]))
  return (name, place) => {
    const path = name.replaceAll('[]', '')
    const own = [place, ...tables.map((each) => `${each}.${place}`)]
    const named = [...own, ...own.flatMap((each) => variables.get(each) ?? [])]
    const places = [...named, ...[...named, '*'].flatMap((each) => mixins[each] ?? [])]
    const found = places.map((each) => comments.get(`${each}.${path}`))
    return found.find((comment) => comment !== undefined) ?? ''
  }
}
