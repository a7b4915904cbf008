import type {
  Agent,
  OpenAiModel,
  OpenAiOperations,
  OpenAiResponse,
  ResponseRequest,
} from '@homeward/contract/agent-platform'
import type { HandlersOf } from '@homeward/contract/handler'
import type { PlatformCallers, PlatformContext } from '../platform-context.ts'
import type { PlatformCaller } from '../access/platform-caller.ts'
import { createChatWriter, toChatCompletion } from './chat-completion.ts'
import { continueCalls, type Owner } from './caller-tools.ts'
import { createEmbedding } from './embeddings.ts'
import { continueRun, openRun } from './open-run.ts'
import { modelNotFound, runHeader } from './openai-errors.ts'
import {
  assertCalls,
  assertOutputs,
  fromInput,
  fromMessages,
  missingOutputs,
  readEnd,
} from './request-items.ts'
import { createResponseWriter, toOpenAiResponse, type ResponseHead } from './response.ts'
import { toSseReply } from './sse-reply.ts'
import { findPrevious, getResponse, resolveReferences, storeResponse } from './stored-responses.ts'
import {
  fromChatCompletion,
  fromResponse,
  schemaOfChat,
  schemaOfResponse,
  systemOf,
} from './to-agent-task.ts'

/** One function per operation below `/v1`. */
type OpenAiHandlers = HandlersOf<OpenAiOperations, PlatformCallers>

/** Agents behind the OpenAI API. */
export function createOpenAiHandlers(context: PlatformContext): OpenAiHandlers {
  const { agents } = context.services
  return {
    async listOpenAiModels({ request }) {
      return { object: 'list', data: (await agents.list(request.signal)).map(toModel) }
    },
    async getOpenAiModel({ params, request }) {
      const agent = await agents.find(params.model, request.signal)
      if (!agent) throw modelNotFound(params.model)
      return toModel(agent)
    },
    async createChatCompletion({ body, caller, request, setHeader }) {
      const items = fromMessages(body.messages)
      assertOutputs(items, missingOutputs.chat)
      const end = readEnd(items, missingOutputs.chat)
      const owner = ownerOf(body, caller)
      const continued = end && (await continueCalls(context, end, owner))
      const run = continued
        ? await continueRun(context, continued, { ...owner, schema: schemaOfChat(body) })
        : await openRun(context, fromChatCompletion(body, items, request), request, caller)
      const head = { id: `chatcmpl-${run.runId}`, created: nowSeconds(), model: body.model }
      if (body.stream) return toSseReply(context, request, run, createChatWriter(head, body))
      setHeader(runHeader, run.runId)
      return toChatCompletion(head, await run.answer())
    },
    async createResponse({ body, caller, request, setHeader }) {
      const owner = ownerOf(body, caller)
      const previous = await findPrevious(context, body, owner)
      const items = fromInput(await resolveReferences(context, body, owner))
      assertCalls(items)
      assertOutputs(items, missingOutputs.response, previous?.callIds)
      const end = readEnd(items, missingOutputs.response)
      const continued = end && (await continueCalls(context, end, owner))
      const run = continued
        ? await continueRun(context, continued, { ...owner, schema: schemaOfResponse(body) })
        : await openRun(context, fromResponse(body, items, request, previous), request, caller)
      const { runId } = run
      const head: ResponseHead = {
        name: continued ? `${runId}.${continued.next}` : runId,
        created: nowSeconds(),
        body,
        conversationId: request.header('x-homeward-conversation'),
        nowSeconds,
      }
      const system = [...(previous?.system ?? []), ...systemOf(items)]
      const store = (response: OpenAiResponse) =>
        storeResponse(context, response, { runId, userId: owner.userId, system })
      if (body.stream) return toSseReply(context, request, run, createResponseWriter(head, store))
      setHeader(runHeader, runId)
      const response = toOpenAiResponse(head, await run.answer())
      await store(response)
      return response
    },
    createEmbedding: ({ body, request }) => createEmbedding(context, body, request.signal),
    getOpenAiResponse: ({ params }) => getResponse(context, params.response_id),
    async deleteOpenAiResponse({ params: { response_id: id } }) {
      await getResponse(context, id)
      await context.services.responses.delete(id)
      return { id, object: 'response', deleted: true }
    },
  }
}

const ownerOf = (
  { model, user }: Pick<ResponseRequest, 'model' | 'user'>,
  caller: PlatformCaller,
): Owner => ({
  model,
  userId: caller.userId ?? user,
})

const toSeconds = (ms: number) => Math.floor(ms / 1000)
const nowSeconds = () => toSeconds(Date.now())

const toModel = ({ id, created_at }: Agent): OpenAiModel => ({
  id,
  object: 'model',
  created: toSeconds(Date.parse(created_at)),
  owned_by: 'homeward',
})
