import * as z from 'zod/mini'
import type { Operation, OperationHeader } from '../../operation.ts'
import { bodyWithFiles } from '../start-options.ts'
import { shortText } from '../values.ts'
import { ChatCompletion, ChatCompletionRequest } from './chat-completion.ts'
import { EmbeddingList, EmbeddingRequest } from './embedding.ts'
import { OpenAiResponse, ResponseRequest } from './response.ts'

/** An agent as a model of the OpenAI API. */
export const OpenAiModel = z.object({
  /** Id of the agent. */
  id: z.string(),
  object: z.literal('model'),
  /** Seconds since the epoch. */
  created: z.number(),
  owned_by: z.string(),
})
export type OpenAiModel = z.infer<typeof OpenAiModel>

/** Header with the conversation of a request below `/v1`. */
export const conversationHeader: OperationHeader = {
  name: 'X-Homeward-Conversation',
  description:
    'Id of a conversation. Its history replaces the earlier messages of the request, and the turn is stored in it. Without this header no conversation is stored.',
}

/** Header with which a caller can come back for its answer. */
const repeatHeader: OperationHeader = {
  name: 'Idempotency-Key',
  description:
    'Requests with the same key join the same run. If a caller with a key disconnects, the run continues.',
}

/** Fields that change how the model is called, in both kinds of requests. */
const sampling = ['body.temperature', 'body.top_p'] as const

/** As requests of runs: they may hold files. */
const { maxBodyBytes } = bodyWithFiles

const byResponseId = z.object({ response_id: shortText(300) })
const runHeaders = [conversationHeader, repeatHeader]
const replyHeaders: readonly OperationHeader[] = [
  { name: 'X-Homeward-Run', description: 'Id of the run, for `GET /api/runs/{id}` and its approvals.' },
]

/** The OpenAI-compatible HTTP API of the agent platform: agents are models. Errors have OpenAI's format. */
export const openaiOperations = {
  listOpenAiModels: {
    method: 'GET',
    path: '/v1/models',
    auth: 'local',
    scope: 'read',
    subject: { rows: 'data', agent: 'id', user: 'everyone' },
    summary: 'Lists the agents as models.',
    source: 'OpenAI API',
    reply: z.object({ object: z.literal('list'), data: z.array(OpenAiModel) }),
  },
  getOpenAiModel: {
    method: 'GET',
    path: '/v1/models/{model}',
    auth: 'local',
    scope: 'read',
    subject: { agent: 'params.model', user: 'everyone' },
    summary: 'Returns one agent as a model.',
    source: 'OpenAI API',
    params: z.object({ model: shortText(200) }),
    reply: OpenAiModel,
    errors: [404],
  },
  createChatCompletion: {
    method: 'POST',
    path: '/v1/chat/completions',
    auth: 'local',
    scope: 'run',
    subject: {
      agent: 'body.model',
      user: 'body.user',
      allow: {
        model_settings: [...sampling, 'body.stop', 'body.seed', 'body.reasoning_effort'],
      },
    },
    summary: 'Runs an agent on the messages of a chat. The response is complete or streamed.',
    source: 'OpenAI API; A4',
    body: ChatCompletionRequest,
    maxBodyBytes,
    headers: runHeaders,
    reply: ChatCompletion,
    orEvents: true,
    replyHeaders,
    errors: [404, 409, 429, 502, 504],
  },
  createResponse: {
    method: 'POST',
    path: '/v1/responses',
    auth: 'local',
    scope: 'run',
    subject: {
      agent: 'body.model',
      user: 'body.user',
      allow: { model_settings: [...sampling, 'body.reasoning'] },
    },
    summary: 'Runs an agent on the input of a response. The response is complete or streamed.',
    source: 'OpenAI API; A4',
    body: ResponseRequest,
    maxBodyBytes,
    headers: runHeaders,
    reply: OpenAiResponse,
    orEvents: true,
    replyHeaders,
    errors: [404, 409, 429, 502, 504],
  },
  getOpenAiResponse: {
    method: 'GET',
    path: '/v1/responses/{response_id}',
    auth: 'local',
    scope: 'read',
    subject: { found: 'response', id: 'params.response_id', user: 'own' },
    summary:
      'Returns a stored response. A response is stored for 30 days, unless its request has `store: false`.',
    source: 'OpenAI API; additions 2, 1.3',
    params: byResponseId,
    reply: OpenAiResponse,
    errors: [404],
  },
  deleteOpenAiResponse: {
    method: 'DELETE',
    path: '/v1/responses/{response_id}',
    auth: 'local',
    scope: 'run',
    subject: { found: 'response', id: 'params.response_id', user: 'own' },
    summary: 'Deletes a stored response. Its run stays.',
    source: 'OpenAI API; additions 2, 1.3',
    params: byResponseId,
    reply: z.object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) }),
    errors: [404],
  },
  createEmbedding: {
    method: 'POST',
    path: '/v1/embeddings',
    auth: 'local',
    scope: 'run',
    subject: 'shared',
    summary: 'Makes vectors of texts with the embedding model of the server. 501 if the server has none.',
    source: 'OpenAI API; additions 2, 4',
    body: EmbeddingRequest,
    maxBodyBytes,
    reply: EmbeddingList,
    errors: [501, 502],
  },
} as const satisfies Record<string, Operation>

/** Type of {@link openaiOperations}. */
export type OpenAiOperations = typeof openaiOperations
