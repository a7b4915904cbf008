import type {
  JsonObject,
  OpenAiResponse,
  ResponseInputItem,
  ResponseRequest,
} from '@homeward/contract/agent-platform'
import { HttpError } from '@homeward/contract/handler'
import type { StoredResponse } from '../../store/ports/response-store.ts'
import type { PlatformContext } from '../platform-context.ts'
import { findCall, type Owner } from './caller-tools.ts'
import { invalidField } from './openai-errors.ts'
import { toCallText } from './request-items.ts'

/** A stored response that a request continues. */
export interface PreviousResponse {
  readonly runId: string
  /** Its text and its calls, as a plain history has them. */
  readonly text: string
  /** Ids of its calls of tools of the caller. */
  readonly callIds: readonly string[]
  /** System messages that it has read. Instructions are those of each request. */
  readonly system: readonly string[]
}

/** What is stored of a response. */
interface StoredBody {
  readonly response: OpenAiResponse
  readonly system: readonly string[]
}

const bodyOf = ({ body }: StoredResponse) => body as unknown as StoredBody // as it was stored

/** 404 for a response that is not stored, or is another's. */
function responseNotFound(): HttpError {
  return new HttpError(404, {
    error: 'Not found',
    message: 'No stored response has this id. Responses are stored for 30 days.',
    code: 'response_not_found',
  })
}

/** The response with an id as its caller got it. @throws {HttpError} 404 */
export async function getResponse({ services }: PlatformContext, id: string): Promise<OpenAiResponse> {
  const stored = await services.responses.find(id)
  if (!stored) throw responseNotFound()
  return bodyOf(stored).response
}

async function findOwn(
  { services }: PlatformContext,
  id: string,
  { model, userId }: Owner,
): Promise<StoredResponse | undefined> {
  const stored = await services.responses.find(id)
  return stored?.agentId === model && stored.userId === userId ? stored : undefined
}

/** The response that a request continues. @throws {HttpError} 400 if the model and the user have no such response */
export async function findPrevious(
  context: PlatformContext,
  { previous_response_id: id }: ResponseRequest,
  owner: Owner,
): Promise<PreviousResponse | undefined> {
  if (id === undefined) return undefined
  const stored = await findOwn(context, id, owner)
  if (!stored) {
    throw new HttpError(400, {
      error: 'Validation error',
      message: `Previous response with id '${id.slice(0, 200)}' not found. Send the id of a stored response of this model and user.`,
      code: 'previous_response_not_found',
      details: { param: 'previous_response_id' },
    })
  }
  const { response, system } = bodyOf(stored)
  return { runId: stored.runId, text: historyOf(response), callIds: callIdsOf(response), system }
}

/** Its text, and its calls as they stand in a plain history. */
const historyOf = (response: OpenAiResponse) =>
  [
    textOf(response),
    ...response.output.flatMap((item) =>
      item.type === 'function_call' ? [toCallText({ ...item, id: item.call_id })] : [],
    ),
  ]
    .filter((text) => text !== '')
    .join('\n')

const textOf = ({ output }: OpenAiResponse) =>
  output.flatMap((item) => (item.type === 'message' ? item.content.map(({ text }) => text) : [])).join('\n')

const callIdsOf = ({ output }: OpenAiResponse) =>
  output.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []))

/** Stores a response, unless its request says otherwise. */
export async function storeResponse(
  { services }: PlatformContext,
  response: OpenAiResponse,
  { runId, userId, system }: { readonly runId: string } & Pick<Owner, 'userId'> & Pick<StoredBody, 'system'>,
): Promise<void> {
  if (!response.store) return
  const body: StoredBody = { response, system }
  await services.responses.save({
    id: response.id,
    runId,
    agentId: response.model,
    ...(userId !== undefined && { userId }),
    body: body as unknown as JsonObject, // all of it is JSON
  })
}

/**
 * Puts items of earlier responses in place of references to them: some clients, the AI SDK among them, send the id of an item
 * and not its content.
 *
 * @throws {HttpError} 400 if the item is gone, or belongs to another model or user.
 */
export async function resolveReferences(
  context: PlatformContext,
  { input }: ResponseRequest,
  owner: Owner,
): Promise<ResponseRequest['input']> {
  if (typeof input === 'string') return input
  const items: ResponseInputItem[] = []
  for (const [index, item] of input.entries()) {
    const isReference = item.type === 'item_reference'
    const found = isReference ? await findItem(context, item.id ?? '', owner) : item
    if (!found) throw invalidField(`input[${index}]`, notStored)
    items.push(found)
  }
  return items
}

async function findItem(
  context: PlatformContext,
  id: string,
  owner: Owner,
): Promise<ResponseInputItem | undefined> {
  const call = await findCall(context, id, owner)
  if (call) return { type: 'function_call', call_id: call.id, name: call.name, arguments: call.arguments }
  const [, name] = /^msg_(.+)$/.exec(id) ?? []
  const stored = name === undefined ? undefined : await findOwn(context, `resp_${name}`, owner)
  return stored && { type: 'message', role: 'assistant', content: textOf(bodyOf(stored).response) }
}

const notStored =
  'the referenced item is not of a stored response of this model for this user. Send the item itself.'
