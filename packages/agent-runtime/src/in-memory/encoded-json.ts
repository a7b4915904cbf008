import { fromJson } from '../sql/json.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * JSON as UTF-8. Bytes lie outside of the JavaScript heap: what is kept for long costs no collection of garbage there,
 * where each object and text is copied twice and then marked again and again.
 */
export type EncodedJson = Uint8Array

/** Writes a value as bytes. */
export function encodeJson(value: unknown): EncodedJson {
  return encoder.encode(JSON.stringify(value))
}

/** Reads what {@link encodeJson} wrote; each time anew, so nothing that a reader does to it comes back. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as `fromJson`
export function decodeJson<Value>(json: EncodedJson): Value {
  return fromJson<Value>(decoder.decode(json))
}
