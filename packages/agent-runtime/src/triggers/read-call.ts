import { createHash } from 'node:crypto'
import { isDeeperThan, parseExactJson } from '@homeward/kit'
import type { Json, TriggerVerification } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { TriggerCall } from './triggers.ts'

/** The body of a call. */
export interface CallBody {
  readonly value: Json
  /** As JSON, in which no number has changed. */
  readonly text: string
}

/** How deep a body may nest: what walks deeper values overflows its stack. */
const maxDepth = 100

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads a body that is JSON, or a form with `payload`, or any other form.
 *
 * @throws {RuntimeError} `validation_error`
 */
export function readCallBody(bytes: Uint8Array, contentType = ''): CallBody {
  const text = toText(bytes)
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType)) return readJson(text)
  const fields = new URLSearchParams(text)
  const payload = fields.get('payload')
  if (payload !== null) return readJson(payload)
  const value = Object.fromEntries(fields)
  return { value, text: JSON.stringify(value) }
}

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw unreadable('not valid UTF-8')
  }
}

function readJson(text: string): CallBody {
  try {
    return { value: parseExactJson(text) as Json, text: text.trim() } // a parsed text is JSON
  } catch {
    throw unreadable('not valid JSON')
  }
}

const unreadable = (problem: string) =>
  new RuntimeError('validation_error', `body: ${problem}. Send JSON, or a form with "payload".`)

/** Whether a body is too deep to be looked at. */
export const isTooDeep = ({ value }: CallBody) => isDeeperThan(value, maxDepth)

/** Id of the delivery by its sender, hashed, because senders choose its length. Absent: every call is another one. */
export function deliveryKeyOf(
  verify: TriggerVerification,
  header: TriggerCall['header'],
  { value }: CallBody,
): string | undefined {
  const eventId = verify === 'stripe' && isObject(value) ? value['id'] : undefined
  const own = { standard: 'webhook-id', github: 'x-github-delivery', stripe: '', token: '' }[verify]
  const id = typeof eventId === 'string' ? eventId : own === '' ? undefined : header(own)
  const key = id ?? header('idempotency-key')
  return key === undefined || key === '' ? undefined : createHash('sha256').update(key).digest('base64url')
}

const onlyPlaceholder = /^\s*\{\{\s*body((?:\.[^\s{}.]+)*)\s*\}\}\s*$/
const placeholder = /\{\{\s*body((?:\.[^\s{}.]+)*)\s*\}\}/g

const valueAt = ({ value }: CallBody, path: string): Json | undefined =>
  path === '' ? value : path.slice(1).split('.').reduce(entryOf, value)

/**
 * A template with values of the body: `{{body}}` is the whole body as JSON, `{{body.a.b}}` a value, and a missing value is
 * empty. Text that a value brings in is not a template.
 */
export function renderTemplate(template: string, body: CallBody): string {
  return template.replaceAll(placeholder, (_, path: string) => {
    if (path === '') return body.text
    const value = valueAt(body, path)
    return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
  })
}

/**
 * A template as JSON, for the data of a signal: JSON whose texts are templates, or one such text. A text that is nothing but
 * a placeholder becomes the value itself, and a missing value is `null`. Values never change the form of the JSON.
 */
export function renderData(template: string, body: CallBody): Json {
  return fill(parseTemplate(template), body)
}

function parseTemplate(template: string): Json {
  try {
    return parseExactJson(template) as Json // a parsed text is JSON
  } catch {
    return template
  }
}

function fill(template: Json, body: CallBody): Json {
  if (typeof template === 'string') {
    const path = onlyPlaceholder.exec(template)?.[1]
    return path === undefined ? renderTemplate(template, body) : (valueAt(body, path) ?? null)
  }
  if (typeof template !== 'object' || template === null) return template
  if (Array.isArray(template)) return template.map((item) => fill(item, body))
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fill(value, body)]))
}

function entryOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as { readonly [key: string]: Json })[name] // an item of a list has its place as its name
}
