import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { cut } from '../../json/to-json.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { Tool } from '../../ports/tool.ts'
import { boundResult } from '../bound-result.ts'
import { decodeText } from '../http/decode-text.ts'
import type { HttpClient, HttpReply } from '../http/http-client.ts'
import { hostOf } from '../http/base-address.ts'
import type { AllowedHosts } from '../web/allowed-hosts.ts'
import { textOf, wholeOf } from './read-arguments.ts'

/** About 2,000 tokens. */
const defaultChars = 6000
const mostChars = 50_000
/** Decompressed. */
const maxBytes = 2 * 1024 * 1024
const timeoutMs = 20_000

const headers = {
  accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'Homeward (web_fetch)',
}

/** Fetches a page of the web for a model. What it says is a stranger's. */
export function createWebFetchTool(hosts: AllowedHosts, http: HttpClient, maxResultBytes: number): Tool {
  return {
    id: 'web_fetch',
    description:
      `Fetches a web page and gives its text, the first ${defaultChars} characters by default. ` +
      'For more, call it again with "start", or with a larger "max_chars".',
    inputSchema: {
      type: 'object',
      properties: {
        url: { type: 'string', description: 'An http or https address.', minLength: 1, maxLength: 2000 },
        start: { type: 'integer', description: 'Character to begin at. Default 0.', minimum: 0 },
        max_chars: {
          type: 'integer',
          description: `Largest number of characters. Default ${defaultChars}.`,
          minimum: 1,
          maximum: mostChars,
        },
      },
      required: ['url'],
      additionalProperties: false,
    },
    effects: 'read',
    idempotent: true,
    returnsUntrustedContent: true,
    async execute(args, { signal }) {
      const { url, policy } = allowed(textOf(args, 'url'), hosts)
      const reply = await http.send({
        method: 'GET',
        url,
        headers,
        policy,
        timeoutMs,
        maxBytes,
        signal,
        redirectPolicy: (target) => hosts.policyFor(target),
      })
      return boundResult(await toResult(reply, args), maxResultBytes)
    },
  }
}

function allowed(given: string, hosts: AllowedHosts) {
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new RuntimeError(
      'validation_error',
      'Fetching the page failed: "url" must be an http or https URL.',
    )
  const policy = hosts.policyFor(url)
  if (policy) return { url, policy }
  throw new RuntimeError(
    'forbidden',
    `Fetching the page failed: ${cut(hostOf(url), 200)} is not an allowed host. Ask the operator to add the host to the setting web_fetch_hosts.`,
  )
}

async function toResult(reply: HttpReply, args: JsonObject): Promise<Json> {
  const { url, status, body, truncated } = reply
  const [type = ''] = reply.contentType.toLowerCase().split(';')
  const known = { url: url.href, status }
  const isHtml = /^(?:text\/html|application\/xhtml\+xml)\s*$/.test(type)
  const decoded = isText(type)
    ? decodeText({ ...reply, contentType: charsetOf(reply, isHtml) }, maxBytes)
    : undefined
  if (decoded === undefined) {
    return {
      ...known,
      note: `The content is not text: ${cut(type, 100) || 'unknown type'}, ${body.length} bytes.`,
    }
  }
  const page = isHtml ? await readHtml(decoded.text, url) : { title: '', text: decoded.text }
  const start = wholeOf(args, 'start', 0)
  const length = Math.min(wholeOf(args, 'max_chars', defaultChars, 1), mostChars)
  const text = cut(page.text.slice(start), length).toWellFormed()
  const end = start + text.length
  return {
    ...known,
    ...(page.title && { title: page.title }),
    text,
    ...(end < page.text.length && { next_start: end, chars: page.text.length }),
    ...((truncated || decoded.truncated) && { truncated: true }),
  }
}

async function readHtml(html: string, url: URL) {
  const { htmlToMarkdown } = await import('../web/html-to-markdown.ts')
  return htmlToMarkdown(html, url)
}

/** Text by its type; what names none may be text, and a NUL in it says no. */
const isText = (type: string) =>
  type.trim() === '' ||
  /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript|ld\+json|x-ndjson)\b|xhtml/.test(type)

/** The content type, with the charset that an HTML page names itself where the type names none. */
function charsetOf({ contentType, body }: HttpReply, isHtml: boolean): string {
  if (!isHtml || /charset\s*=/i.test(contentType)) return contentType
  const head = Buffer.from(body.subarray(0, 1024)).toString('latin1')
  const charset = /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1]
  return charset === undefined ? contentType : `${contentType}; charset=${charset}`
}
