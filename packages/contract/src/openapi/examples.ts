import type { ResponseConfig, ZodRequestBody } from '@asteasolutions/zod-to-openapi'
import type { OperationExample } from '../operation-example.ts'
import type { Operation } from '../operation.ts'
import type { Parameter } from './parameters.ts'

type Content = Readonly<Record<string, object | undefined>>

/** Adds the recorded body to a request. */
export function withBodyExample(
  body: ZodRequestBody | undefined,
  example: OperationExample | undefined,
): ZodRequestBody | undefined {
  if (!body || example?.request.body === undefined) return body
  return { ...body, content: withExample(body.content, example.request.body) }
}

/** Adds the recorded values to path and query parameters. */
export function withParameterExamples(
  parameters: Parameter[],
  operation: Operation,
  example: OperationExample | undefined,
): Parameter[] {
  if (!example) return parameters
  const { pathname, searchParams } = new URL(example.request.path, 'http://127.0.0.1')
  const segments = pathname.split('/')
  const inPath = operation.path.split('/').map((part, at) => [part, segments[at]] as const)
  const values = new Map(inPath.map(([part, value = '']) => [part, decodeURIComponent(value)]))
  return parameters.map((parameter) => {
    const { name, in: place, schema } = parameter
    if (place === 'header') {
      const header = example.request.headers?.[name]
      return header === undefined ? parameter : { ...parameter, example: header }
    }
    const text = place === 'path' ? values.get(`{${name}}`) : searchParams.get(name)
    if (text === undefined || text === null) return parameter
    const isList = operation.repeatable?.includes(name)
    return { ...parameter, example: isList ? searchParams.getAll(name) : readText(text, schema.type) }
  })
}

/** Adds the recorded body to the response of its status. */
export function withResponseExample(
  responses: Record<string, ResponseConfig>,
  example: OperationExample | undefined,
): Record<string, ResponseConfig> {
  if (!example) return responses
  const response = responses[String(example.response.status)]
  if (!response?.content) return responses
  const content = withExample(response.content, example.response.body, example.response.headers)
  return { ...responses, [String(example.response.status)]: { ...response, content } }
}

/** The example stands with the media type that was recorded, or else with the first one. */
function withExample<Types extends Content>(
  content: Types,
  example: unknown,
  headers: Readonly<Record<string, string>> = {},
): Types {
  const [recorded = ''] = (headers['Content-Type'] ?? '').split(';')
  const type = content[recorded] ? recorded : Object.keys(content)[0]
  if (type === undefined) return content
  return { ...content, [type]: { ...content[type], example } }
}

/** What the text of a parameter means. */
function readText(text: string, type: unknown): unknown {
  return type === 'integer' || type === 'number' || type === 'boolean' ? JSON.parse(text) : text
}
