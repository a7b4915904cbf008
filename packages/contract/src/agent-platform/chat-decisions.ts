import * as z from 'zod/mini'
import { Json } from '../json-value.ts'
import { CustomId, orAbsent, Slug } from './values.ts'

/** Decision of the person in a `useChat` chat about one call. */
export interface ChatDecision {
  readonly approval_id: string
  readonly approved: boolean
  /** At most 2,000 characters. */
  readonly reason?: string
}

/** The output of a call of a tool that the page ran. */
interface ChatOutput {
  /** The call, which is a wait of the run. */
  readonly wait_id: string
  /** As the wait takes it: `{error}` for a call that failed. */
  readonly data: Json
}

/**
 * Body of a `useChat` request about waiting calls: decisions, and outputs of calls that the page ran.
 *
 * They are part of the answer that continues with them. The id of that answer is the id of its run.
 */
export interface ChatDecisions {
  readonly agent_id: string
  readonly run_id: string
  readonly decisions: readonly ChatDecision[]
  /** Absent if there are no outputs. */
  readonly outputs?: readonly ChatOutput[]
}

/** Calls of one turn. */
const maxDecisions = 64
const maxReason = 2000
/** Calls of an answer that the page made. */
const maxOutputs = 1000

const Decided = z.object({
  // tools that the agent declares have parts of their own type
  type: z.string().check(z.regex(/^(?:dynamic-tool$|tool-)/)),
  state: z.literal('approval-responded'),
  approval: z.object({ id: CustomId, approved: z.boolean(), reason: orAbsent(z.string()) }),
})

/** A part of a call that the server made says `providerExecuted`. */
const Ran = z.object({
  type: z.string().check(z.regex(/^(?:dynamic-tool$|tool-)/)),
  toolCallId: CustomId,
  state: z.enum(['output-available', 'output-error']),
  providerExecuted: orAbsent(z.literal(false)),
  // the server makes the calls that people decide about
  approval: z.optional(z.undefined()),
  output: z.optional(Json),
  errorText: orAbsent(z.string()),
})

const Post = z.object({
  agent_id: Slug,
  trigger: orAbsent(z.string()),
  messageId: orAbsent(z.string()),
  messages: z.array(z.looseObject({ id: z.optional(z.unknown()) })),
})

const Answer = z.object({ id: CustomId, role: z.literal('assistant'), parts: z.array(z.unknown()) })

/** Decisions and outputs that a chat posts; undefined for a post that asks something. */
export function readDecisions(given: unknown): ChatDecisions | undefined {
  const post = Post.safeParse(given)
  if (!post.success || post.data.trigger === 'regenerate-message') return undefined
  const { agent_id, messages, messageId } = post.data
  // `messageId` names an answer that is not the last message, if a person has decided about its calls
  const answer = Answer.safeParse(
    messages.find(({ id }) => id !== undefined && id === messageId) ?? messages.at(-1),
  )
  if (!answer.success) return undefined
  const decisions = answer.data.parts.flatMap((part): ChatDecision[] => {
    const decided = Decided.safeParse(part)
    if (!decided.success) return []
    const { id, approved, reason } = decided.data.approval
    return [{ approval_id: id, approved, ...(reason && { reason: reason.slice(0, maxReason) }) }]
  })
  const outputs = answer.data.parts.flatMap((part): ChatOutput[] => {
    const ran = Ran.safeParse(part)
    if (!ran.success) return []
    const { toolCallId, state, output = null, errorText = '' } = ran.data
    return [{ wait_id: toolCallId, data: state === 'output-error' ? { error: errorText } : output }]
  })
  if (decisions.length === 0 && outputs.length === 0) return undefined
  if (decisions.length > maxDecisions || outputs.length > maxOutputs) return undefined
  return { agent_id, run_id: answer.data.id, decisions, ...(outputs.length > 0 && { outputs }) }
}
