import { errorRepliesOf, type Operation } from '@homeward/contract'
import * as contract from '@homeward/contract/device-cloud'
import { toOpenApi } from '@homeward/contract/openapi'
import { code, generatedNote, page, table } from './markdown.ts'
import { fieldRows, type JsonSchema, typeText } from './schema-text.ts'
import { fieldComments } from './source-comments.ts'

const { Device, DeviceMetadata, FoundApp, FoundFile, SearchQuery, SearchReportReply, SearchRequest } =
  contract
const { SearchResults, SystemFacts, Upload, UploadRequest, UploadResult } = contract

/** Shapes that several operations share, in the order in which the page shows them. */
const shapes = {
  Device,
  DeviceMetadata,
  SearchRequest,
  SearchQuery,
  SearchResults,
  FoundFile,
  FoundApp,
  SystemFacts,
  SearchReportReply,
  UploadRequest,
  Upload,
  UploadResult,
}

const callers = {
  device: 'a device, by `Authorization: Bearer <API key>`',
  session: 'a user, by a session of the host',
  local: 'a caller of the local platform',
  webhook: 'another service, by its signature',
  public: 'anybody',
} as const

interface Content {
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

const said = ['device', 'operations', 'search', 'upload'].map((name) =>
  fieldComments(`packages/contract/src/device-cloud/${name}.ts`),
)
const comments = new Map(said.flatMap((each) => [...each.comments]))
const variables = new Map(said.flatMap((each) => [...each.variables]))

/** The page of the device cloud's operations, from the table of the contract. */
export function deviceCloudPage(): string {
  const operations: Readonly<Record<string, Operation>> = contract.deviceCloudOperations
  const options = { operations, schemas: shapes, title: 'Device cloud', version: '0' }
  // The document is plain JSON; its type has the generator's own names for the same things.
  const { paths, components } = toOpenApi(options) as unknown as Described
  const rows = Object.entries(operations).map(([id, { method, path, auth }]) => {
    return [`[${code(id)}](#${id.toLowerCase()})`, code(`${method} ${path}`), auth]
  })
  return page(
    generatedNote,
    '# Device cloud',
    'The HTTP interface, from [its table](../../packages/contract/src/device-cloud/operations.ts). The reference server gives ' +
      'the same as OpenAPI 3.1 at `/openapi.json`. Decisions (`C9`) are in [Decisions](../decisions/README.md), error ' +
      'bodies in [Errors](errors.md), rates and sizes in [Operations](../guides/operations.md#limits).',
    'Bodies are JSON in UTF-8 unless stated. Unknown fields are ignored, in both directions. A JSON body has at most 5 MiB ' +
      'and an upload at most 100 MiB, unless the host set other limits. `GET` also answers `HEAD`.',
    'Lists of a dashboard come newest first. `nextCursor` is there when there is more: it is the `cursor` of the next page. ' +
      'Without `limit` a page has 100 rows, of devices 1,000. Of several filters all hold.',
    table(['Operation', '', 'Caller'], rows),
    '## Operations',
    ...Object.entries(operations).map(([id, operation]) => {
      const described = paths[operation.path]?.[operation.method.toLowerCase()]
      if (!described) throw new Error(`Could not document ${id}: the OpenAPI document lacks it.`)
      return operationSection(id, operation, described)
    }),
    '## Shapes',
    ...Object.keys(shapes).map((name) => shapeSection(name, components.schemas[name])),
  )
}

function operationSection(id: string, operation: Operation, described: DescribedOperation): string {
  const { method, path, auth, summary, source, status = 200, reply } = operation
  const [type = '', request] = Object.entries(described.requestBody?.content ?? {})[0] ?? []
  const errors = errorRepliesOf(operation).map((error) => error.status)
  return [
    `### ${id}`,
    code(`${method} ${path}`),
    summary,
    `Caller: ${callers[auth]}. Follows: ${source}. Errors: ${errors.join(', ')}.`,
    parameterTable(id, described),
    request ? `Body, ${code(type)}:` : '',
    request
      ? fieldTable(
          request.schema,
          `deviceCloudOperations.${id}.${operation.form ? 'form.fields' : 'body'}`,
          'Required',
        )
      : '',
    `Answer ${status}${reply === 'bytes' ? ': the bytes of the file.' : ':'}`,
    reply === 'bytes' ? '' : answerTable(id, described.responses[String(status)]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function answerTable(id: string, answer: Content | undefined): string {
  const schema = answer?.content?.['application/json']?.schema ?? {}
  return schema.$ref === undefined
    ? fieldTable(schema, `deviceCloudOperations.${id}.reply`, 'Present')
    : typeText(schema)
}

function parameterTable(id: string, { parameters = [] }: DescribedOperation): string {
  const rows = parameters.map(({ name, in: place, required = false, description, schema }) => {
    const note =
      description ?? noteOf(name, `deviceCloudOperations.${id}.${place === 'path' ? 'params' : 'query'}`)
    return [code(name), place, typeText(schema), required ? 'yes' : '', note]
  })
  return table(['Parameter', 'In', 'Type', 'Required', ''], rows)
}

function shapeSection(name: string, schema: JsonSchema | undefined): string {
  if (!schema) throw new Error(`Could not document ${name}: no operation uses it.`)
  return `### ${name}\n\n${fieldTable(schema, name, 'Present')}`
}

function fieldTable(schema: JsonSchema, place: string, presence: 'Required' | 'Present'): string {
  const yes = presence === 'Required' ? 'yes' : 'always'
  const rows = fieldRows(schema).map(({ name, type, required }) => {
    return [code(name), type, required ? yes : '', noteOf(name, place)]
  })
  return table(['Field', 'Type', presence, ''], rows)
}

/** What the source says about a field: where it stands, in the schema it comes from, or in the links that shapes take in. */
function noteOf(name: string, place: string): string {
  const path = name.replaceAll('[]', '')
  const places = [place, variables.get(place) ?? place, 'StoredLinks']
  return places.map((each) => comments.get(`${each}.${path}`)).find((comment) => comment !== undefined) ?? ''
}
