import { OpenApiGeneratorV31, OpenAPIRegistry, type ZodRequestBody } from '@asteasolutions/zod-to-openapi'
import type { ErrorTable } from '../error-replies.ts'
import type { OperationExample, OperationExamples } from '../operation-example.ts'
import type { AuthKind, BodyForm, FileForm, Operation, OperationTable, Schema } from '../operation.ts'
import { callerKinds } from './callers.ts'
import {
  createJsonSchemas,
  type JsonSchemas,
  type OpenApiDocument,
  type OpenApiSchema,
} from './json-schemas.ts'
import { withBodyExample, withParameterExamples, withResponseExample } from './examples.ts'
import { parametersOf } from './parameters.ts'
import { errorSchemas, responsesOf } from './responses.ts'

/** Options of {@link toOpenApi}. */
export interface OpenApiOptions {
  /** The table of operations. */
  readonly operations: OperationTable
  /** Name of the HTTP API. */
  readonly title: string
  /** Version of the HTTP API. */
  readonly version: string
  /** Description of the HTTP API in Markdown. */
  readonly description?: string
  /** Server addresses. @default `/`, the address of the document */
  readonly servers?: readonly { readonly url: string; readonly description?: string }[]
  /** Schemas to define once as components, by component name. @default no components */
  readonly schemas?: Readonly<Record<string, Schema>>
  /** Examples by operation id: `deviceCloudExamples` of `@homeward/contract/examples`. @default no examples */
  readonly examples?: OperationExamples
  /** Errors of the HTTP API, if it has its own error body. @default `{error, message?}` */
  readonly errors?: ErrorTable
  /** SPDX license identifier of the HTTP API. @default MIT */
  readonly license?: { readonly name: string; readonly identifier: string }
}

/**
 * Converts a table of operations to an OpenAPI 3.1 document: paths, parameters, bodies, responses and documented
 * errors.
 *
 * @throws if a schema has no JSON Schema equivalent, or a row names an undocumented error.
 * @example
 * ```ts
 * import { deviceCloudOperations } from '@homeward/contract/device-cloud'
 * import { toOpenApi } from '@homeward/contract/openapi'
 *
 * const document = toOpenApi({ operations: deviceCloudOperations, title: 'Device cloud', version: '1.0.0' })
 * ```
 */
export function toOpenApi(options: OpenApiOptions): OpenApiDocument {
  const {
    title,
    version,
    description,
    license = { name: 'MIT', identifier: 'MIT' },
    servers = [{ url: '/' }],
  } = options
  const registry = new OpenAPIRegistry()
  const schemas = createJsonSchemas(options.schemas ?? {})
  for (const [id, operation] of Object.entries(options.operations)) {
    try {
      registerOperation(registry, id, operation, schemas, options.errors, options.examples?.[id])
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(`Describing the operation ${id} failed: ${reason}.`, { cause: error })
    }
  }
  for (const [name, schema] of schemas.components()) registry.registerComponent('schemas', name, schema)
  if (options.errors)
    registry.registerComponent(
      'schemas',
      options.errors.name ?? 'Error',
      schemas.of(options.errors.body, 'output'),
    )
  else {
    for (const [name, schema] of Object.entries(errorSchemas)) {
      registry.registerComponent('schemas', name, { ...schema, required: [...schema.required] })
    }
  }
  const kinds = callersOf(options.operations)
  for (const kind of kinds) {
    const { security } = callerKinds[kind]
    if (security) registry.registerComponent('securitySchemes', kind, security)
  }
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title, version, license, ...(description === undefined ? {} : { description }) },
    servers: servers.map((server) => ({ ...server })),
    tags: kinds.map((kind) => ({ name: callerKinds[kind].tag, description: callerKinds[kind].description })),
  })
}

function registerOperation(
  registry: OpenAPIRegistry,
  id: string,
  operation: Operation,
  schemas: JsonSchemas,
  errors: ErrorTable | undefined,
  example: OperationExample | undefined,
): void {
  const { tag, security } = callerKinds[operation.auth]
  const body = withBodyExample(requestBodyOf(operation, schemas), example)
  registry.registerPath({
    method: lowerCase[operation.method],
    path: operation.path,
    operationId: id,
    summary: operation.summary,
    tags: [tag],
    security: security ? [{ [operation.auth]: [] }] : [],
    ...(operation.needs && { 'x-needs': operation.needs }),
    ...(operation.scope && { 'x-scope': operation.scope }),
    parameters: withParameterExamples(parametersOf(operation, schemas), operation, example),
    ...(body && { request: { body } }),
    responses: withResponseExample(responsesOf(operation, schemas, errors), example),
  })
}

const lowerCase = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

function requestBodyOf(
  { body, bodyForm, fileForm, form, bytes }: Operation,
  schemas: JsonSchemas,
): ZodRequestBody | undefined {
  if (body) {
    const schema = schemas.of(body, 'input')
    const content = { 'application/json': { schema }, ...(fileForm && fileFormOf(fileForm, schemas)) }
    return { required: true, content: { ...content, ...(bodyForm && formOf(bodyForm, schema)) } }
  }
  if (bytes) {
    const { type, encoding } = bytes === true ? { type: octets, encoding: undefined } : bytes
    const schema = {
      type: 'string' as const,
      contentMediaType: type,
      ...(encoding && { contentEncoding: encoding }),
    }
    return { required: true, content: { [type]: { schema } } }
  }
  if (!form) return undefined
  const { properties, ...fields } = schemas.of(form.fields, 'input')
  const file = { type: 'string', contentMediaType: 'application/octet-stream' } as const
  const schema = { ...fields, properties: { ...properties, [form.file]: file } }
  return { required: true, content: { 'multipart/form-data': { schema } } }
}

/** A JSON body as a form with files. */
function formOf({ body, file, list }: BodyForm, schema: OpenApiSchema) {
  const items = { type: 'string', contentMediaType: 'application/octet-stream' } as const
  const files: OpenApiSchema = { type: 'array', items, description: `Added to \`${list}\` of the request.` }
  const form: OpenApiSchema = {
    type: 'object',
    properties: { [body]: schema, [file]: files },
    required: [body],
  }
  return { 'multipart/form-data': { schema: form } }
}

const octets = 'application/octet-stream'

/** A form with files in place of the JSON body. */
function fileFormOf({ body, fields, file }: FileForm, schemas: JsonSchemas) {
  const items = { type: 'string', contentMediaType: 'application/octet-stream' } as const
  const schema: OpenApiSchema = {
    type: 'object',
    properties: { [file]: { type: 'array', items }, [body]: schemas.of(fields, 'input') },
    required: [file],
  }
  return { 'multipart/form-data': { schema } }
}

const callersOf = (operations: OperationTable): AuthKind[] => [
  ...new Set(Object.values(operations).map(({ auth }) => auth)),
]
