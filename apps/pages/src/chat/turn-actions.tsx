import { type Turn, textOf } from '@homeward/contract/runs'
import { ChevronLeft, ChevronRight, GitBranch, RotateCcw } from 'lucide-react'
import { use } from 'react'
import { usePlatformQuery } from '../api/platform.ts'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { FeedbackButtons } from './feedback-buttons.tsx'
import { ChatActionsOfThread } from './use-chat-actions.ts'

/** Properties of {@link TurnActions}. */
export interface TurnActionsProps {
  readonly turn: Turn
  /** Place among the answers to the question, from 0 on. @default 0 */
  readonly answer?: number
  /** How many answers the question has. @default 1 */
  readonly answers?: number
  /** Shows another one of them. */
  readonly onAnswer?: (answer: number) => void
}

/** Buttons of an answer: copy it, ask for another one, continue from here in a new conversation. */
export function TurnActions({ turn, answer = 0, answers = 1, onAnswer }: TurnActionsProps) {
  const actions = use(ChatActionsOfThread)
  const text = textOf(turn)
  if (turn.status === 'running' || turn.status === 'waiting') return null
  return (
    <div className="chat-actions" role="group" aria-label="Actions for this answer">
      {answers > 1 && onAnswer && (
        <>
          <IconButton
            label="Previous answer"
            icon={<ChevronLeft aria-hidden />}
            isDisabled={answer === 0}
            onPress={() => onAnswer(answer - 1)}
          />
          <span className="chat-answer-place small muted numeric" role="status">
            <span className="visually-hidden">Answer </span>
            {answer + 1}/{answers}
          </span>
          <IconButton
            label="Next answer"
            icon={<ChevronRight aria-hidden />}
            isDisabled={answer === answers - 1}
            onPress={() => onAnswer(answer + 1)}
          />
        </>
      )}
      {text !== '' && <CopyButton text={text} label="Copy answer" isIconOnly />}
      {actions && turn.runId !== undefined && turn.status === 'completed' && (
        <TurnFeedback runId={turn.runId} conversationId={actions.conversationId} />
      )}
      {actions?.retriedId === turn.id && (
        <IconButton
          label="Retry"
          icon={<RotateCcw aria-hidden />}
          isDisabled={actions.isBusy}
          onPress={actions.retry}
        />
      )}
      {actions && turn.createdAt !== undefined && (
        <IconButton
          label="Branch from here"
          icon={<GitBranch aria-hidden />}
          isDisabled={actions.isBusy}
          onPress={() => actions.branch(turn)}
        />
      )}
    </div>
  )
}

interface TurnFeedbackProps {
  readonly runId: string
  readonly conversationId: string
}

/** Rates an answer. The runs of the conversation are read together, as the chat reads them. */
function TurnFeedback({ runId, conversationId }: TurnFeedbackProps) {
  const query = { conversation_id: conversationId, limit: '100' }
  const run = usePlatformQuery('listRuns', { query }).data?.runs.find(({ id }) => id === runId)
  return run ? <FeedbackButtons runId={runId} feedback={run.feedback ?? []} /> : null
}
