import type { Conversation } from '@homeward/contract/agent-platform'
import { MessageCircle, Pencil, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from 'react-aria-components'
import { useLocation, useParams } from 'wouter'
import { usePlatformMutation, usePlatformPages, usePlatformQuery } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { conversationPageOf } from '../api/rows-of.ts'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { AgentName, useAgentName } from '../components/agents/agent-filter.tsx'
import '../chat/chat.css'
import { toChat } from '../chat/pending-questions.ts'
import { storedTurns } from '@homeward/contract/runs'
import { TurnView } from '../chat/turn-view.tsx'
import { AppendDialog } from './append-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { AnswerText } from '../chat/answer-text.tsx'

const list = { href: '/conversations', label: 'Conversations' }

/** One conversation: all that was said, and what can be done with it. */
export function ConversationPage() {
  const { id } = useParams<{ id: string }>()
  const pages = usePlatformPages(
    'getConversation',
    { params: { id }, query: { limit: '200' } },
    { select: conversationPageOf },
  )
  const runs = usePlatformQuery('listRuns', { query: { conversation_id: id, limit: '500' } })
  const conversation = pages.data?.[0]?.conversation
  const agentName = useAgentName(conversation?.agent_id)
  const turns = useMemo(() => {
    const messages = (pages.data ?? []).toReversed().flatMap((reply) => reply.messages)
    return storedTurns(messages, runs.data?.runs)
  }, [pages.data, runs.data])

  return (
    <>
      <PageHeader
        title={conversation?.title ?? 'Conversation'}
        back={list}
        description={conversation && <Facts conversation={conversation} />}
        actions={conversation && <Actions conversation={conversation} />}
      />
      <QueryView query={pages} missing={<MissingState kind="conversation" id={id} list={list} />}>
        {() => (
          <>
            {conversation && <SummaryCard conversation={conversation} />}
            <Card>
              {pages.loadMore && (
                <div className="chat-older">
                  <Button variant="quiet" isPending={pages.isFetchingNextPage} onPress={pages.loadMore}>
                    Show older messages
                  </Button>
                </div>
              )}
              {turns.length === 0 && <EmptyState title="No messages" />}
              <div className="chat-log">
                {turns.map((turn) => (
                  <TurnView
                    key={turn.id}
                    turn={turn}
                    agentId={conversation?.agent_id ?? ''}
                    agentName={agentName ?? 'The agent'}
                  />
                ))}
              </div>
            </Card>
          </>
        )}
      </QueryView>
    </>
  )
}

function Facts({ conversation }: { readonly conversation: Conversation }) {
  const { agent_id, user_id, message_count, created_at } = conversation
  return (
    <>
      With{' '}
      <Link href={`/agents/${encodeURIComponent(agent_id)}`}>
        <AgentName id={agent_id} />
      </Link>
      {user_id !== undefined && <> and {user_id}</>} · {message_count} messages · started{' '}
      <RelativeTime value={created_at} />
    </>
  )
}

function Actions({ conversation }: { readonly conversation: Conversation }) {
  const { id, agent_id: agentId, title } = conversation
  const [, navigate] = useLocation()
  const remove = usePlatformMutation('deleteConversation', { invalidates: ['listConversations'] })
  return (
    <>
      <RenameDialog
        conversation={conversation}
        trigger={<Button icon={<Pencil aria-hidden />}>Rename</Button>}
      />
      <AppendDialog conversationId={id} agentId={agentId} />
      <LinkButton href={toChat(agentId, id)} variant="primary" icon={<MessageCircle aria-hidden />}>
        Continue
      </LinkButton>
      <ActionMenu
        actions={[
          {
            label: 'Delete conversation',
            icon: <Trash2 aria-hidden />,
            confirm: {
              title: 'Delete this conversation?',
              text: (
                <p className="foreign">
                  {title === undefined
                    ? 'All its messages are deleted.'
                    : `All messages of “${title}” are deleted.`}{' '}
                  This cannot be undone. Its runs stay in the list of runs.
                </p>
              ),
              onConfirm: async () => {
                await untilGone(remove.mutateAsync({ params: { id } }))
                showToast({ title: 'Conversation deleted' })
                navigate('/conversations')
              },
            },
          },
        ]}
      />
    </>
  )
}

/** The summary that stands for the oldest messages, and the wish for a new one. */
function SummaryCard({ conversation }: { readonly conversation: Conversation }) {
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
          When the messages no longer fit into the context window, a summary replaces the oldest messages for
          the model. Nothing is deleted.
        </p>
      ) : (
        <AnswerText text={summary} />
      )}
      {sumUp.error && <ErrorState error={sumUp.error} isInline />}
    </Card>
  )
}
