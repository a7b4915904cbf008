import type { Agent } from '@homeward/contract/agent-platform'
import { MessagesSquare, Plus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useLocation, useParams, useSearchParams } from 'wouter'
import { usePlatformQuery, usePlatformPages } from '../api/platform.ts'
import { useIsLimited } from '../api/server-facts.ts'
import { Button } from '../components/buttons/button.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { ModelChoice } from '../components/agents/model-choice.tsx'
import { ChatThread } from './chat-thread.tsx'
import { ConversationTitle } from './conversation-title.tsx'
import './chat.css'
import { newId } from '../api/use-idempotency-key.ts'
import { toChat } from './pending-questions.ts'
import { Link } from 'react-aria-components'
import { conversationsOf, peopleSources } from '../api/rows-of.ts'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'

/** Talks with an agent. `?conversation=` names the conversation; without it a new one begins. */
export function ChatPage() {
  const agents = usePlatformQuery('listAgents')
  const isLimited = useIsLimited()
  return (
    <>
      {agents.data === undefined && <PageHeader title="Chat" />}
      <QueryView
        query={agents}
        isEmpty={(reply) => reply.agents.length === 0}
        empty={
          <>
            <PageHeader title="Chat" />
            <EmptyState
              title="No agents yet"
              {...(!isLimited && {
                action: (
                  <LinkButton href="/agents/_new" variant="primary">
                    Create an agent
                  </LinkButton>
                ),
              })}
            >
              Create an agent to chat with: a model with instructions and tools.
            </EmptyState>
          </>
        }
      >
        {(reply) => <ChatWithAgent agents={reply.agents} />}
      </QueryView>
    </>
  )
}

function ChatWithAgent({ agents }: { readonly agents: readonly Agent[] }) {
  const { agentId } = useParams<{ agentId?: string }>()
  const [search] = useSearchParams()
  const [, navigate] = useLocation()
  const agent = agentId === undefined ? agents[0] : agents.find(({ id }) => id === agentId)
  const named = search.get('conversation') ?? undefined
  // A conversation has its id before its first message, so that nothing changes places when that is sent.
  const [fresh, setFresh] = useState(newId)
  const conversationId = named ?? fresh
  const isLimited = useIsLimited()
  const [titled, setTitled] = useState<{ readonly id: string; readonly title: string }>()
  const onTitle = useCallback((title: string) => setTitled({ id: conversationId, title }), [conversationId])

  if (agent === undefined) {
    return (
      <>
        <PageHeader title="Chat" back={{ href: '/chat', label: 'Chat' }} />
        <MissingState kind="agent" id={agentId ?? ''} list={{ href: '/agents', label: 'Agents' }} />
      </>
    )
  }
  const begin = (id: string) => {
    setFresh(newId())
    navigate(`/chat/${id}`)
  }
  return (
    <>
      <PageHeader
        isSticky
        title={`Chat with ${agent.name ?? agent.id}`}
        description={
          // The line has its height before the title is known, so that nothing moves when it arrives.
          titled?.id === conversationId ? (
            <ConversationTitle key={titled.id} conversationId={titled.id} title={titled.title} />
          ) : (
            <span className="chat-title">New conversation</span>
          )
        }
        actions={
          <>
            <span className="chat-to-conversations">
              <LinkButton
                href={`/conversations?agent=${encodeURIComponent(agent.id)}`}
                icon={<MessagesSquare aria-hidden />}
              >
                Conversations
              </LinkButton>
            </span>
            <SelectField
              label="Agent"
              isLabelHidden
              value={agent.id}
              options={agents.map(({ id, name }) => ({ value: id, label: name ?? id }))}
              onChange={begin}
            />
            {!isLimited && <ModelChoice agent={agent} isLabelHidden />}
            <Button icon={<Plus aria-hidden />} onPress={() => begin(agent.id)}>
              New conversation
            </Button>
          </>
        }
      />
      <div className="chat">
        <RecentConversations agentId={agent.id} current={conversationId} />
        <ChatThread
          key={conversationId}
          agent={agent}
          conversationId={conversationId}
          isNew={conversationId === fresh}
          onTitle={onTitle}
          onSent={() => {
            if (named !== undefined) return
            navigate(toChat(agent.id, conversationId), { replace: true })
            setFresh(newId())
          }}
          onRefused={() => {
            if (named === undefined) return
            // It is new again: what was written is found where the first message of one is written.
            setFresh(conversationId)
            navigate(`/chat/${encodeURIComponent(agent.id)}`, { replace: true })
          }}
        />
      </div>
    </>
  )
}

/** What {@link RecentConversations} take. */
interface RecentConversationsProps {
  readonly agentId: string
  readonly current: string
}

/** The newest conversations with an agent, to go back to. */
function RecentConversations({ agentId, current }: RecentConversationsProps) {
  const query = usePlatformPages(
    'listConversations',
    { query: { agent_id: agentId, source: peopleSources, limit: '20' } },
    { select: conversationsOf },
  )
  return (
    <nav className="chat-recent" aria-label="Recent conversations">
      <h2>Conversations</h2>
      <QueryView
        query={query}
        isEmpty={(conversations) => conversations.length === 0}
        empty={<p className="muted small">Your conversations appear here.</p>}
      >
        {(conversations) => (
          <ul>
            {conversations.map(({ id, title, updated_at, active_run_status: status }) => (
              <li key={id}>
                <Link
                  href={toChat(agentId, id)}
                  className="chat-recent-item"
                  {...(id === current && { 'aria-current': 'page' as const })}
                >
                  <span className="truncate foreign">{title ?? 'Untitled'}</span>
                  <span className="muted small">
                    {status ? <StatusBadge status={status} /> : <RelativeTime value={updated_at} />}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
      <Link href={`/conversations?agent=${encodeURIComponent(agentId)}`} className="small">
        All conversations
      </Link>
    </nav>
  )
}
