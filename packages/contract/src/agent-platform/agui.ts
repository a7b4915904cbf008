import * as z from 'zod/mini'
import { Json } from '../json-value.ts'
import type { Operation } from '../operation.ts'
import { bodyWithFiles } from './start-options.ts'
import { ConversationId, CustomId, MessageId, orAbsent, Slug } from './values.ts'

const AguiPart = z.looseObject({
  /** `text`, `image`, `audio`, `video`, `document` or `binary`. */
  type: z.string(),
  text: orAbsent(z.string()),
  /** `data` with the bytes as base64. Addresses are not fetched. */
  source: orAbsent(
    z.looseObject({ type: z.string(), value: orAbsent(z.string()), mimeType: orAbsent(z.string()) }),
  ),
})

const AguiContent = z.union([z.string(), z.array(AguiPart).check(z.maxLength(100))])

/** A message of AG-UI. */
export const AguiMessage = z.looseObject({
  id: orAbsent(MessageId),
  /** `user`, `assistant`, `tool`, `system`, `developer`, `reasoning` or `activity`. */
  role: z.string(),
  content: orAbsent(z.union([AguiContent, z.looseObject({})])),
  /** Id of the answered call, in a `tool` message. */
  toolCallId: orAbsent(z.string().check(z.maxLength(300))),
  /** Error of a failed call, in a `tool` message. */
  error: orAbsent(z.string()),
})
export type AguiMessage = z.infer<typeof AguiMessage>

/** Response to an interrupt. */
export const AguiResume = z.object({
  interruptId: CustomId,
  status: z.enum(['resolved', 'cancelled']),
  payload: z.optional(Json),
})
export type AguiResume = z.infer<typeof AguiResume>

/** The `RunAgentInput` of AG-UI. `state` and `forwardedProps` are ignored. */
export const AguiInput = z.object({
  /** Id of the conversation. */
  threadId: ConversationId,
  /** Id of the run in the events. The platform's own run id is in the header `X-Homeward-Run`. */
  runId: CustomId,
  protocolVersion: orAbsent(z.string()),
  /**
   * Messages whose end is the task: the last user message, or tool outputs after the last answer.
   *
   * The platform stores the conversation, so earlier messages are ignored, except system and developer messages.
   */
  messages: z.array(AguiMessage).check(z.maxLength(10_000)),
  /** Tools that the client runs, at most 64. */
  tools: orAbsent(
    z
      .array(
        z.looseObject({ name: z.string(), description: orAbsent(z.string()), parameters: z.optional(Json) }),
      )
      .check(z.maxLength(64)),
  ),
  /** Added to the agent's instructions. */
  context: orAbsent(
    z.array(z.object({ description: z.string(), value: z.string() })).check(z.maxLength(100)),
  ),
  /** Responses to the interrupts of the previous run, one for each. */
  resume: orAbsent(z.array(AguiResume).check(z.maxLength(100))),
  /** The user of the run. An addition to AG-UI. */
  user_id: orAbsent(CustomId),
})
export type AguiInput = z.infer<typeof AguiInput>

/** The address for clients of AG-UI: `new HttpAgent({ url: '…/agui/support' })`. */
export const aguiOperations = {
  runAgui: {
    method: 'POST',
    path: '/agui/{agent_id}',
    auth: 'local',
    scope: 'run',
    subject: { agent: 'params.agent_id', user: 'body.user_id', conversation: 'body.threadId' },
    summary: 'Runs an agent for a client of AG-UI, or continues its run, as AG-UI events.',
    source: 'additions 2, 4',
    params: z.object({ agent_id: Slug }),
    query: z.object({
      /** Whether the events contain the reasoning of the model. Default `false`. */
      reasoning: z.optional(z.enum(['true', 'false'])),
    }),
    body: AguiInput,
    maxBodyBytes: bodyWithFiles.maxBodyBytes,
    reply: 'events',
    replyHeaders: [{ name: 'X-Homeward-Run', description: 'Id of the run, for `GET /api/runs/{id}`.' }],
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>
