import type { Operation, OperationHeader } from '../operation.ts'
import { partRequestHeaders } from './file-parts.ts'
import type { JsonSchemas, OpenApiSchema } from './json-schemas.ts'

/** A parameter object of OpenAPI 3.1. A type, not an interface: those lack the index signature for `x-` keys. */
export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: OpenApiSchema
  readonly example?: unknown
}

/** Path, query and header parameters of an operation. */
export function parametersOf(operation: Operation, schemas: JsonSchemas): Parameter[] {
  return [
    ...fieldsOf(operation, 'params', schemas),
    ...fieldsOf(operation, 'query', schemas),
    ...headersOf(operation).map(({ name, description }): Parameter => {
      return { name, in: 'header', required: false, description, schema: { type: 'string' } }
    }),
  ]
}

function headersOf({ headers = [], inParts }: Operation): readonly OperationHeader[] {
  return inParts ? [...headers, ...partRequestHeaders] : headers
}

/**
 * One parameter for each field. They arrive as text, so the parsed side tells what the text means (a whole number from
 * 1 to 500), and the side before parsing tells whether it may be left out.
 */
function fieldsOf(operation: Operation, part: 'params' | 'query', schemas: JsonSchemas): Parameter[] {
  const schema = operation[part]
  if (!schema) return []
  const { properties = {} } = schemas.of(schema, 'output')
  const { required = [] } = schemas.of(schema, 'input')
  return Object.entries(properties).map(([name, property]): Parameter => {
    const { description, ...rest } = property
    return {
      name,
      in: part === 'params' ? 'path' : 'query',
      required: part === 'params' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    }
  })
}
