import type { OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import * as z from 'zod/mini'
import { Json } from '../json-value.ts'
import type { Schema } from '../operation.ts'

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>

type Components = NonNullable<OpenApiDocument['components']>

/** A schema of OpenAPI 3.1, whose dialect is JSON Schema draft 2020-12. */
export type OpenApiSchema = Exclude<NonNullable<Components['schemas']>[string], { readonly $ref: string }>

/** Which side of a schema is described: what a caller may send, or what comes out after parsing. */
type Side = 'input' | 'output'

/** Turns schemas into JSON Schema, and collects those that have a name as components. */
export interface JsonSchemas {
  /** JSON Schema of one side; named schemas inside it are references to components. */
  of(schema: Schema, side: Side): OpenApiSchema
  /** Named schemas that were referred to so far, by component name. */
  components(): ReadonlyMap<string, OpenApiSchema>
}

type ZodJsonSchema = z.core.JSONSchema.BaseSchema

const componentPath = '#/components/schemas/'

/**
 * Builds the converter. A named schema whose two sides differ becomes two components: `Name` for what the server
 * gives, `NameInput` for what it takes.
 */
export function createJsonSchemas(named: Readonly<Record<string, Schema>>): JsonSchemas {
  const names = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) names.add(schema, { id })
  const found = new Map<string, OpenApiSchema>()

  const convert = (schema: Schema, side: Side) => {
    const {
      $schema: _,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, { io: side, metadata: names, override: tidy })
    return { root, $defs }
  }
  const sidesDiffer = (name: string) => {
    const schema = named[name]
    return (
      schema !== undefined &&
      JSON.stringify(convert(schema, 'input')) !== JSON.stringify(convert(schema, 'output'))
    )
  }
  const componentName = (name: string, side: Side) =>
    side === 'input' && sidesDiffer(name) ? `${name}Input` : name

  return {
    of(schema, side) {
      const { root, $defs } = convert(schema, side)
      const rename = (ref: string) => componentPath + componentName(ref.slice('#/$defs/'.length), side)
      for (const [name, definition] of Object.entries($defs)) {
        found.set(componentName(name, side), withRefs(definition, rename))
      }
      return withRefs(root, rename)
    },
    components: () => found,
  }
}

/** The same JSON with every `$ref` renamed. */
function withRefs(json: ZodJsonSchema, rename: (ref: string) => string): OpenApiSchema {
  const text = JSON.stringify(json, (key, value: unknown) => {
    return key === '$ref' && typeof value === 'string' ? rename(value) : value
  })
  return JSON.parse(text) as OpenApiSchema // draft 2020-12, of which zod's and OpenAPI's types are two descriptions
}

const anyJson: z.core.$ZodType = Json

/** Leaves out what zod states more exactly than a reader of the document has use for. */
function tidy({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: ZodJsonSchema }): void {
  const { def } = zodSchema._zod
  if (zodSchema === anyJson) {
    // zod says it by a union that refers to itself, of which generators of clients make types that do not compile
    for (const key in jsonSchema) delete jsonSchema[key]
    jsonSchema.description = 'Any JSON value.'
  }
  if (def.type === 'string' && 'format' in def && def.format === 'datetime') {
    // the pattern has 500 characters and says what the format says
    delete jsonSchema.pattern
    jsonSchema.format = 'date-time'
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  // every key of JSON is a text
  if (def.type === 'record' && Object.keys(jsonSchema.propertyNames ?? {}).join() === 'type') {
    delete jsonSchema.propertyNames
  }
  // unknown keys on the wire are ignored, both ways, so that either side may add some
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties
}
