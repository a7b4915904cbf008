import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { basePattern, placePattern } from '../../skills/definitions/tool-parameters.ts'
import type { HttpToolDefinition } from '../../skills/definitions/tool-definition.ts'

/** A request as it goes out, credentials included. */
interface BuiltRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Credentials in it, to be taken out of whatever is shown. */
  readonly secrets: readonly string[]
}

/** What a request is built with. */
interface RequestContext {
  readonly base: URL
  readonly idempotencyKey: string
  /** The agent that calls; headers may hold it as `{{agent}}`. */
  readonly agentId: string
  /** Names that headers may hold as `{{NAME}}`. */
  readonly credentialNames: readonly string[]
  readonly findCredential: (name: string) => string | undefined
}

/**
 * Puts arguments where the definition says. Whatever an argument holds, it stays in its place: it adds no path
 * segment, no header and no parameter.
 *
 * @throws {RuntimeError} `validation_error` for an argument without a place in an address, `run_error` for a missing
 * credential.
 */
export function buildRequest(
  definition: HttpToolDefinition,
  args: JsonObject,
  context: RequestContext,
): BuiltRequest {
  const { base, idempotencyKey } = context
  const sorted = sortArguments(definition, args)
  const url = buildUrl(definition, sorted.path, base)
  for (const [name, value] of sorted.query) append(url.searchParams, name, value)
  const secrets: string[] = []
  const headers: Record<string, string> = {
    accept: 'application/json, */*;q=0.5',
    'accept-encoding': 'identity',
    // some services answer nobody who does not say what asks
    'user-agent': 'homeward',
  }
  for (const [name, value] of sorted.header) setHeader(headers, name, toHeaderText(value))
  for (const [name, value] of Object.entries(definition.headers)) {
    setHeader(headers, name, fillHeader(value, definition, context, secrets))
  }
  const body = toBody(definition, sorted, headers)
  addCredential(definition, context, url, headers, secrets)
  setHeader(headers, 'idempotency-key', idempotencyKey)
  return { url, headers, secrets, ...(body === undefined ? {} : { body }) }
}

interface SortedArguments {
  readonly path: ReadonlyMap<string, Json>
  readonly query: readonly (readonly [string, Json])[]
  readonly header: readonly (readonly [string, Json])[]
  readonly body: Json | undefined
}

/** Arguments by their place, with the definition's defaults. What the definition does not name is left out. */
function sortArguments({ inputSchema, plain }: HttpToolDefinition, args: JsonObject): SortedArguments {
  const properties = isJsonObject(inputSchema['properties']) ? inputSchema['properties'] : {}
  const path = new Map<string, Json>()
  const query: [string, Json][] = []
  const header: [string, Json][] = []
  const body: JsonObject = {}
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue
    const value = Object.hasOwn(args, name) ? args[name] : property['default']
    if (value === undefined) continue
    if (property['in'] === 'path') path.set(name, value)
    else if (property['in'] === 'query') query.push([name, value])
    else if (property['in'] === 'header') header.push([name, value])
    else if (property['in'] === 'body') body[name] = value
  }
  if (!plain) return { path, query, header, body: Object.keys(body).length > 0 ? body : undefined }
  return {
    path,
    header,
    query: isJsonObject(args['query']) ? Object.entries(args['query']) : [],
    body: args['body'],
  }
}

function buildUrl({ id, path }: HttpToolDefinition, values: ReadonlyMap<string, Json>, base: URL): URL {
  const [way, query] = splitOnce(ownPath(id, path, base), '?')
  const filledWay = fillPlaces(way, values)
  for (const segment of filledWay.split('/')) {
    // a server takes these for steps, in whatever spelling
    if (/^(\.|%2e){1,2}$/i.test(segment)) {
      throw new RuntimeError(
        'validation_error',
        'Filling the path failed: the path must not contain "." or ".." as a segment. Use another value.',
      )
    }
  }
  const search = query === undefined ? '' : `?${fillPlaces(query, values)}`
  const url = new URL(
    `${base.origin}${base.pathname.replace(/\/+$/, '')}/${filledWay.replace(/^\/+/, '')}${search}`,
  )
  for (const [name, value] of base.searchParams) url.searchParams.append(name, value)
  return url
}

/** The path behind the base. A whole address is fine when it is the base's own. */
function ownPath(id: string, path: string, base: URL): string {
  const own = path.replace(basePattern, '/').replace(/#.*$/, '')
  if (!/^[a-z][a-z0-9+.-]*:/i.test(own)) return own
  const [, origin = '', way = ''] = /^([a-z][a-z0-9+.-]*:\/\/[^/?]*)(.*)$/is.exec(own) ?? []
  const prefix = base.pathname.replace(/\/+$/, '')
  if (!URL.canParse(origin) || new URL(origin).origin !== base.origin || new URL(origin).username !== '') {
    throw new RuntimeError(
      'run_error',
      `Calling the tool "${id}" failed: its path points to another origin than the base address of its skill. Correct "path" in tools.yaml.`,
    )
  }
  return way.startsWith(`${prefix}/`) ? way.slice(prefix.length) : way
}

function fillPlaces(text: string, values: ReadonlyMap<string, Json>): string {
  return text.replace(placePattern, (_, double?: string, single?: string, colon?: string) => {
    const name = double ?? single ?? colon ?? ''
    const value = values.get(name)
    const filled = value === undefined || value === null ? '' : toText(value)
    if (filled === '') {
      throw new RuntimeError(
        'validation_error',
        `Filling the path failed: the parameter "${name}" is empty. Set a value.`,
      )
    }
    return encodeURIComponent(filled.toWellFormed())
  })
}

/** A list is a parameter several times, and null is none. */
function append(parameters: URLSearchParams, name: string, value: Json): void {
  if (value === null) return
  for (const entry of Array.isArray(value) ? value : [value]) parameters.append(name, toText(entry))
}

function fillHeader(
  value: string,
  { id }: HttpToolDefinition,
  { base, agentId, credentialNames, findCredential }: RequestContext,
  secrets: string[],
): string {
  return value.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (whole, name: string) => {
    if (name === 'base') return base.href.replace(/\/$/, '')
    if (name === 'agent' && !credentialNames.includes(name)) return toHeaderText(agentId)
    if (!credentialNames.includes(name)) return whole
    const credential = findCredential(name)
    if (credential === undefined) throw missing(id, name)
    secrets.push(credential)
    return toHeaderText(credential)
  })
}

function addCredential(
  { id, auth }: HttpToolDefinition,
  { findCredential }: RequestContext,
  url: URL,
  headers: Record<string, string>,
  secrets: string[],
): void {
  if (auth === undefined) return
  const credential = findCredential(auth.credential)
  if (credential === undefined) throw missing(id, auth.credential)
  secrets.push(credential)
  const isPair = auth.scheme?.toLowerCase() === 'basic' && credential.includes(':')
  const shown = isPair ? Buffer.from(credential).toString('base64') : credential
  const value = auth.scheme === undefined ? shown : `${auth.scheme} ${shown}`
  if (auth.in === 'query') url.searchParams.set(auth.name, value)
  else headers[auth.name.toLowerCase()] = toHeaderText(value)
}

function setHeader(headers: Record<string, string>, name: string, value: string): void {
  headers[name.toLowerCase()] = value
}

function toBody({ method }: HttpToolDefinition, { body }: SortedArguments, headers: Record<string, string>) {
  if (body === undefined || method === 'GET' || method === 'HEAD') return undefined
  const type = (headers['content-type'] ??= 'application/json').toLowerCase()
  if (type.startsWith('application/x-www-form-urlencoded') && isJsonObject(body)) {
    const form = new URLSearchParams()
    for (const [name, value] of Object.entries(body)) append(form, name, value)
    return form.toString()
  }
  return typeof body === 'string' && !type.includes('json') ? body : JSON.stringify(body)
}

/** One line of printable ASCII: everything else is percent-encoded, a line's end above all. */
function toHeaderText(value: Json): string {
  return toText(value)
    .toWellFormed()
    .replace(/[^\t\x20-\x7e]+/g, (piece) => encodeURIComponent(piece))
}

function toText(value: Json): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function missing(id: string, name: string): RuntimeError {
  const text = `Calling the tool "${id}" failed: its credential ${name} is not set. Set ${name} in the environment or in the skill's config.`
  return new RuntimeError('run_error', text)
}
