import * as z from 'zod/mini'
import { CustomId, orAbsent, Slug } from './values.ts'

/** What the person in a chat of the AI SDK decided about one call. */
export interface ChatDecision {
  readonly approval_id: string
  readonly approved: boolean
  /** At most 2,000 characters. */
  readonly reason?: string
}

/**
 * Decisions about calls that wait, as a chat of the AI SDK posts them: in the answer that goes on with them, whose id is that of
 * its run.
 */
export interface ChatDecisions {
  readonly agent_id: string
  readonly run_id: string
  readonly decisions: readonly ChatDecision[]
}

/** Calls of one turn. */
const maxDecisions = 64
const maxReason = 2000

const Decided = z.object({
  // tools that the agent declares have parts of their own type
  type: z.string().check(z.regex(/^(?:dynamic-tool$|tool-)/)),
  state: z.literal('approval-responded'),
  approval: z.object({ id: CustomId, approved: z.boolean(), reason: orAbsent(z.string()) }),
})

const Post = z.object({
  agent_id: Slug,
  trigger: orAbsent(z.string()),
  messageId: orAbsent(z.string()),
  messages: z.array(z.looseObject({ id: z.optional(z.unknown()) })),
})

const Answer = z.object({ id: CustomId, role: z.literal('assistant'), parts: z.array(z.unknown()) })

/** Decisions that a chat posts; undefined for a post that asks something. */
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
  if (decisions.length === 0 || decisions.length > maxDecisions) return undefined
  return { agent_id, run_id: answer.data.id, decisions }
}
