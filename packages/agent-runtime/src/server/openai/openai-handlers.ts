import type { Agent, OpenAiModel, OpenAiOperations } from '@homeward/contract/agent-platform'
import type { HandlersOf } from '@homeward/contract/handler'
import type { PlatformCallers, PlatformContext } from '../platform-context.ts'
import { createChatWriter, toChatCompletion } from './chat-completion.ts'
import { openRun } from './open-run.ts'
import { modelNotFound, runHeader } from './openai-errors.ts'
import { resolveReferences } from './resolve-references.ts'
import { createResponseWriter, toOpenAiResponse } from './response.ts'
import { toSseReply } from './sse-reply.ts'
import { fromChatCompletion, fromResponse } from './to-agent-task.ts'

/** One function per operation below `/v1`. */
export type OpenAiHandlers = HandlersOf<OpenAiOperations, PlatformCallers>

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
    async createChatCompletion({ body, request, setHeader }) {
      const run = await openRun(context, fromChatCompletion(body, request), request)
      const head = { id: `chatcmpl-${run.runId}`, created: nowSeconds(), model: body.model }
      if (body.stream) return toSseReply(context, request, run, createChatWriter(head, body))
      setHeader(runHeader, run.runId)
      return toChatCompletion(head, await run.answer())
    },
    async createResponse({ body, request, setHeader }) {
      const whole = await resolveReferences(context.services.runs, body)
      const run = await openRun(context, fromResponse(whole, request), request)
      const head = { runId: run.runId, created: nowSeconds(), body }
      if (body.stream) return toSseReply(context, request, run, createResponseWriter(head))
      setHeader(runHeader, run.runId)
      return toOpenAiResponse(head, await run.answer())
    },
  }
}

const toSeconds = (ms: number) => Math.floor(ms / 1000)
const nowSeconds = () => toSeconds(Date.now())

const toModel = ({ id, created_at }: Agent): OpenAiModel => ({
  id,
  object: 'model',
  created: toSeconds(Date.parse(created_at)),
  owned_by: 'homeward',
})
