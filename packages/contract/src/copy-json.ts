import * as z from 'zod/mini'
import type { Json } from './json-value.ts'

type Payload = z.core.ParsePayload
type Issue = z.core.$ZodRawIssue

/** How deep a value may nest: far above what anything takes, far below what overflows a stack. */
const maxDepth = 500

/** One value on its way through. */
interface Walk {
  readonly schema: z.core.$ZodType
  readonly issues: Issue[]
  /** Keys to where the walk is. */
  readonly path: (string | number)[]
  /** The objects and lists that it is in. */
  readonly around: object[]
  /** Whether it has given up: of a value that holds itself there is no end. */
  isOver: boolean
}

/** Puts a copy in the place of the payload's value, or says what in it is no JSON. */
export function copyJson(payload: Payload, schema: z.core.$ZodType): Payload {
  payload.value = copyValue(payload.value, startWalk(payload, schema))
  return payload
}

/** As {@link copyJson}, for an object. */
export function copyJsonObject(payload: Payload, schema: z.core.$ZodType): Payload {
  const walk = startWalk(payload, schema)
  if (z.core.util.isPlainObject(payload.value)) payload.value = copyValue(payload.value, walk)
  else refuse(payload.value, 'record', walk)
  return payload
}

function startWalk({ issues }: Payload, schema: z.core.$ZodType): Walk {
  return { schema, issues, path: [], around: [], isOver: false }
}

/** What comes back for a value that is refused is not looked at. */
function copyValue(value: unknown, walk: Walk): Json {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  const isArray = Array.isArray(value)
  if (!isArray && !z.core.util.isPlainObject(value)) return refuse(value, 'JSON value', walk)
  if (walk.isOver || !enter(value, walk)) return null
  const copy = isArray ? copyArray(value, walk) : copyObject(value, walk)
  walk.around.pop()
  return copy
}

function copyArray(values: readonly unknown[], walk: Walk): Json[] {
  const copy: Json[] = []
  // by index: an empty place is refused too
  for (let index = 0; index < values.length; index += 1) {
    walk.path.push(index)
    copy.push(copyValue(values[index], walk))
    walk.path.pop()
  }
  return copy
}

function copyObject(value: Readonly<Record<string, unknown>>, walk: Walk): { [key: string]: Json } {
  const copy: { [key: string]: Json } = {}
  for (const key of Object.keys(value)) {
    // it would be the copy's prototype
    if (key === '__proto__') continue
    walk.path.push(key)
    copy[key] = copyValue(value[key], walk)
    walk.path.pop()
  }
  return copy
}

/** Notes that the walk is in an object now. @returns false when it must not go in. */
function enter(value: object, walk: Walk): boolean {
  const isInItself = walk.around.includes(value)
  if (!isInItself && walk.around.length < maxDepth) return walk.around.push(value) > 0
  const message = isInItself ? 'holds itself' : `is nested deeper than ${maxDepth} levels`
  walk.issues.push({ code: 'custom', message, input: value, inst: walk.schema, path: [] })
  walk.isOver = true
  return false
}

function refuse(input: unknown, expected: 'JSON value' | 'record', { issues, path, schema }: Walk): null {
  issues.push({ code: 'invalid_type', expected, input, inst: schema, path: [...path] })
  return null
}
