import type { Conversation } from '@homeward/contract/agent-platform'
import { usePlatformMutation } from '../../api/platform.ts'
import { Button } from '../../components/buttons/button.tsx'
import { Card } from '../../components/layout/card.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { AnswerText } from '../chat/answer-text.tsx'

/** The summary that stands for the oldest messages, and the wish for a new one. */
export function SummaryCard({ conversation }: { readonly conversation: Conversation }) {
  const { id, summary } = conversation
  const sumUp = usePlatformMutation('summarizeConversation', {
    invalidates: ['getConversation', 'listConversations'],
  })
  return (
    <Card
      title="Summary"
      actions={
        <Button isPending={sumUp.isPending} onPress={() => sumUp.mutate({ body: { conversation_id: id } })}>
          {summary === undefined ? 'Sum up' : 'Sum up again'}
        </Button>
      }
    >
      {summary === undefined ? (
        <p className="muted">
          Once not all messages fit into what the model reads, a summary stands for the oldest ones. Nothing
          is deleted.
        </p>
      ) : (
        <AnswerText text={summary} />
      )}
      {sumUp.error && <ErrorState error={sumUp.error} isInline />}
    </Card>
  )
}
