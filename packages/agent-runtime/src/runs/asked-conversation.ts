import type { RunRequest } from '@homeward/contract/agent-platform'
import { findNewestQuestion } from '../conversations/replaced-answers.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { isOwnConversation } from '../store/own-conversation.ts'
import type { StoredConversation, StoredMessage } from '../store/ports/conversation-store.ts'
import type { RunsContext } from './runs-options.ts'

/** The conversation that a request names, if there is one yet, and the question in it that is regenerated. */
export interface AskedConversation {
  readonly conversation?: StoredConversation | undefined
  readonly question?: StoredMessage | undefined
}

/** @throws {RuntimeError} `not_found` for a conversation of somebody else, `conflict` if the question is not the newest. */
export async function findAskedConversation(
  context: Pick<RunsContext, 'store'>,
  request: RunRequest,
  signal: AbortSignal | undefined,
): Promise<AskedConversation> {
  const conversation = await findOwnConversation(context, request, signal)
  return {
    conversation,
    question: conversation && (await findQuestion(context, request, conversation, signal)),
  }
}

/** Whoever begins it meanwhile has it: then this run reads nothing of it, and ends without a turn for it. */
async function findOwnConversation(
  { store }: Pick<RunsContext, 'store'>,
  request: RunRequest,
  signal: AbortSignal | undefined,
): Promise<StoredConversation | undefined> {
  if (request.conversation_id === undefined) return undefined
  const conversation = await store.findConversation(request.conversation_id, signal)
  if (!conversation) return undefined // it is made when the run ends
  if (isOwnConversation(conversation, { agentId: request.agent_id, userId: request.user_id }))
    return conversation
  throw new RuntimeError(
    'not_found',
    'Starting a run failed: the agent has no conversation with this id for this user. Leave "conversation_id" out to start a new one.',
  )
}

/** The question that is regenerated; undefined for a new one, and where none was kept yet. */
async function findQuestion(
  { store }: Pick<RunsContext, 'store'>,
  { regenerate, task }: RunRequest,
  { id, messageCount }: StoredConversation,
  signal: AbortSignal | undefined,
): Promise<StoredMessage | undefined> {
  if (!regenerate || messageCount === 0) return undefined
  const question = await findNewestQuestion(store, id, signal)
  if (question?.message.role === 'user') {
    if (question.message.text === task) return question
    // its run was asked this; its guards kept something else of it
    const run = question.runId === undefined ? undefined : await store.findRun(question.runId, signal)
    if (run?.progress.input && run.task === task) return question
  }
  throw new RuntimeError(
    'conflict',
    'Regenerating the answer failed: only the latest message can be regenerated, and only after its answer has finished. Wait for it, or send this as a new message.',
  )
}
