import { fromJson } from '../store/sql/json.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * JSON as UTF-8. Bytes lie outside of the JavaScript heap: what is kept for long costs no collection of garbage there,
 * where each object and text is copied twice and then marked again and again.
 */
export type EncodedJson = Uint8Array

/** Writes a value as bytes: into those of `spare`, which nobody reads any more, when they are enough. */
export function encodeJson(value: unknown, spare?: EncodedJson): EncodedJson {
  const text = JSON.stringify(value)
  if (spare) {
    const whole = new Uint8Array(spare.buffer)
    const { read, written } = encoder.encodeInto(text, whole)
    if (read === text.length) return whole.subarray(0, written)
  }
  return encoder.encode(text)
}

/** Reads what {@link encodeJson} wrote; each time anew, so nothing that a reader does to it comes back. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as `fromJson`
export function decodeJson<Value>(json: EncodedJson): Value {
  return fromJson<Value>(decoder.decode(json))
}
