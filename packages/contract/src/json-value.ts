import * as z from 'zod/mini'
import { copyJson, copyJsonObject } from './copy-json.ts'

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A JSON object. */
export type JsonObject = { [key: string]: Json }

// They take what `z.json()` and a record of it take. Those try six schemas on each value, and a body may hold hundreds of
// thousands. Their types are those that documents describe by the empty schema, and by an object of any properties.

// TypeScript wants `init`, which narrows, on a name with a type
const AnyValue: z.core.$constructor<z.ZodMiniUnknown> = z.ZodMiniUnknown
const AnyObject: z.core.$constructor<z.ZodMiniRecord> = z.ZodMiniRecord

const JsonSchema = z.core.$constructor<z.ZodMiniUnknown>('JsonSchema', (schema, definition) => {
  AnyValue.init(schema, definition)
  schema._zod.parse = (payload) => copyJson(payload, schema)
})
export const Json = new JsonSchema({ type: 'unknown' }) as z.ZodMiniType as z.ZodMiniType<Json, Json>

const JsonObjectSchema = z.core.$constructor<z.ZodMiniRecord>('JsonObjectSchema', (schema, definition) => {
  AnyObject.init(schema, definition)
  schema._zod.parse = (payload) => copyJsonObject(payload, schema)
})
export const JsonObject = new JsonObjectSchema({
  type: 'record',
  keyType: z.string(),
  valueType: Json,
}) as z.ZodMiniType as z.ZodMiniType<JsonObject, JsonObject>
