import * as z from 'zod/mini'

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export const Json: z.ZodMiniType<Json, Json> = z.json()

/** A JSON object. */
export type JsonObject = { [key: string]: Json }
export const JsonObject: z.ZodMiniType<JsonObject, JsonObject> = z.record(z.string(), Json)
