import type {
  Agent,
  OpenAiModel,
  OpenAiOperations,
  ResponseInputItem,
  ResponseRequest,
} from '@homeward/contract/agent-platform'
import type { HandlersOf } from '@homeward/contract/handler'
import type { PlatformCallers, PlatformContext } from '../platform-context.ts'
import { createChatWriter, toChatCompletion } from './chat-completion.ts'
import { continueCalls } from './caller-tools.ts'
import { continueRun, openRun } from './open-run.ts'
import { modelNotFound, runHeader, invalidField } from './openai-errors.ts'
import { createResponseWriter, toOpenAiResponse } from './response.ts'
import { toSseReply } from './sse-reply.ts'
import { fromChatCompletion, fromResponse } from './to-agent-task.ts'

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
      const continued = await continueCalls(context, body, caller)
      const run = continued
        ? await continueRun(context, continued)
        : await openRun(context, fromChatCompletion(body, request), request, caller)
      const head = { id: `chatcmpl-${run.runId}`, created: nowSeconds(), model: body.model }
      if (body.stream) return toSseReply(context, request, run, createChatWriter(head, body))
      setHeader(runHeader, run.runId)
      return toChatCompletion(head, await run.answer())
    },
    async createResponse({ body, caller, request, setHeader }) {
      const whole = await resolveReferences(context.services.runs, body)
      const run = await openRun(context, fromResponse(whole, request), request, caller)
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

type Runs = Pick<PlatformContext['services']['runs'], 'find'>

/**
 * Puts earlier answers in place of references to them: some clients, the AI SDK among them, send the id of an answer and
 * not its text. The run is stored, so its answer is there.
 *
 * @throws {HttpError} 400 if the run is gone, or belongs to another model or user.
 */
async function resolveReferences(runs: Runs, body: ResponseRequest): Promise<ResponseRequest> {
  const { input, model, user } = body
  if (typeof input === 'string') return body
  const items: ResponseInputItem[] = []
  for (const [index, item] of input.entries()) {
    if (item.type !== 'item_reference') {
      items.push(item)
      continue
    }
    const runId = /^msg_(.+)$/.exec(item.id ?? '')?.[1]
    const run = runId === undefined ? undefined : await runs.find(runId)
    const isOwn = run !== undefined && run.agent_id === model && run.user_id === user
    const result = isOwn ? run.result : undefined
    if (!result || !('output' in result)) throw invalidField(`input[${index}]`, notStored)
    items.push({ type: 'message', role: 'assistant', content: result.output })
  }
  return { ...body, input: items }
}

const notStored =
  'the referenced item is not a response of this model for this user. Send the message itself.'
