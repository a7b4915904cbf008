import type { ProviderApi } from '@homeward/contract/agent-platform'
import { boundedFetch, HttpFailure, startDeadline, type FetchOption } from '@homeward/kit/http'

/** A provider to ask for its models. */
export interface AskedProvider {
  readonly api: ProviderApi
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

/** A model as its provider lists it. */
export interface OfferedModel {
  readonly id: string
  /** Tokens that fit into the model, if the provider reports them. */
  readonly contextWindow?: number
}

/** What a provider offers. */
export interface Offer {
  readonly models: readonly OfferedModel[]
  /** Why the list is missing or not complete. Holds no key, and nothing of the response. */
  readonly problem?: string
}

const timeoutMs = 5000
/** The list of OpenRouter has about one megabyte. */
const maxBytes = 8 * 1024 * 1024
const maxPages = 20
const maxModels = 5000
const maxIdLength = 200

/**
 * Asks a provider for its models, with the list endpoint of its API. Follows pages, and no redirect. Takes at most five
 * seconds. Models that came before a failure are kept.
 *
 * @throws {unknown} the reason of `signal`
 */
export async function askForModels(
  provider: AskedProvider,
  fetch: FetchOption | undefined,
  signal?: AbortSignal,
): Promise<Offer> {
  const deadline = startDeadline(timeoutMs, signal)
  const send = boundedFetch({ fetch, timeoutMs, maxBytes, signal: deadline.signal })
  const models = new Map<string, OfferedModel>()
  try {
    let cursor: string | undefined
    for (let page = 1; ; page += 1) {
      const response = await send(toUrl(provider, cursor), { headers: toHeaders(provider) })
      if (!response.ok) {
        await response.body?.cancel()
        return { models: [...models.values()], problem: statusProblem(response.status) }
      }
      const { rows, next } = readPage(JSON.parse(await response.text()))
      for (const row of rows) addModel(models, row)
      if (next === undefined || next === cursor) break
      if (page >= maxPages || models.size >= maxModels)
        return { models: [...models.values()], problem: tooMany }
      cursor = next
    }
    return { models: [...models.values()] }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    return { models: [...models.values()], problem: failureProblem(error) }
  } finally {
    deadline.end()
  }
}

function toUrl({ api, baseUrl }: AskedProvider, cursor: string | undefined): string {
  const url = new URL(`${baseUrl}/models`)
  if (api === 'anthropic') {
    url.searchParams.set('limit', '1000')
    if (cursor !== undefined) url.searchParams.set('after_id', cursor)
  } else if (api === 'google') {
    url.searchParams.set('pageSize', '1000')
    if (cursor !== undefined) url.searchParams.set('pageToken', cursor)
  } else if (cursor !== undefined) url.searchParams.set('after', cursor)
  return url.href
}

function toHeaders({ api, apiKey }: AskedProvider): Record<string, string> {
  const version = api === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}
  const accept = { accept: 'application/json', ...version }
  if (!apiKey) return accept
  if (api === 'anthropic') return { ...accept, 'x-api-key': apiKey }
  if (api === 'google') return { ...accept, 'x-goog-api-key': apiKey }
  return { ...accept, authorization: `Bearer ${apiKey}` }
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON that is not a list of models. */
class NotAList extends Error {
  override readonly name = 'NotAList'
}

/** OpenAI and Anthropic list models as `data`, Google as `models`. */
function readPage(body: unknown): { readonly rows: readonly unknown[]; readonly next: string | undefined } {
  const fields = isObject(body) ? body : {}
  const rows = fields['data'] ?? fields['models']
  if (!Array.isArray(rows)) throw new NotAList()
  const next = fields['nextPageToken'] ?? (fields['has_more'] === true ? fields['last_id'] : undefined)
  return { rows, next: typeof next === 'string' && next ? next : undefined }
}

function addModel(models: Map<string, OfferedModel>, row: unknown): void {
  if (!isObject(row) || models.size >= maxModels) return
  const methods = row['supportedGenerationMethods']
  if (Array.isArray(methods) && !methods.includes('generateContent')) return
  const given = row['id'] ?? row['name']
  const id = typeof given === 'string' ? given.replace(/^models\//, '') : ''
  if (!id || id.length > maxIdLength || /\p{Cc}/u.test(id)) return
  const tokens = windowNames.map((name) => row[name]).find(isCount)
  models.set(id, { id, ...(tokens !== undefined && { contextWindow: tokens }) })
}

/** Names of the context window: OpenRouter, vLLM, Google, Anthropic, Groq, Mistral. */
const windowNames = [
  'context_length',
  'max_model_len',
  'inputTokenLimit',
  'max_input_tokens',
  'context_window',
  'max_context_length',
]

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0

const attempt = 'Listing the models failed:'
const tooMany = `${attempt} the list has more than ${maxModels} models or ${maxPages} pages. Only its beginning is shown.`

function statusProblem(status: number): string {
  if (status === 401 || status === 403)
    return `${attempt} the provider rejected the API key (status ${status}). Check the key.`
  if (status === 404)
    return `${attempt} the provider has no list of models (status 404). Check that the base URL ends with the version path.`
  return `${attempt} the provider responded with status ${status}. Try again later.`
}

function failureProblem(error: unknown): string {
  if (error instanceof NotAList || error instanceof SyntaxError)
    return `${attempt} the response is not a list of models. Check the base URL and the API.`
  const code = error instanceof HttpFailure ? error.code : 'UNREACHABLE'
  if (code === 'TIMEOUT')
    return `${attempt} the provider did not respond within ${timeoutMs / 1000} seconds. Try again later.`
  if (code === 'REDIRECTED') return `${attempt} the provider responded with a redirect. Check the base URL.`
  if (code === 'TOO_LARGE')
    return `${attempt} the response has more than ${maxBytes} bytes. Check the base URL.`
  return `${attempt} the provider cannot be reached. Check the base URL, and that the server is running.`
}
