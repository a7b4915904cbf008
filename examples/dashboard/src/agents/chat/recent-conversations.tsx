import { Link } from 'react-aria-components'
import { usePlatformQuery } from '../../api/platform.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { toChat } from './to-chat.ts'

/** What {@link RecentConversations} take. */
export interface RecentConversationsProps {
  readonly agentId: string
  readonly current: string
}

/** The newest conversations with an agent, to go back to. */
export function RecentConversations({ agentId, current }: RecentConversationsProps) {
  const query = usePlatformQuery('listConversations', { query: { agent_id: agentId, limit: '20' } })
  const conversations = query.data && 'conversations' in query.data ? query.data.conversations : []
  return (
    <nav className="chat-recent" aria-label="Recent conversations">
      <h2>Conversations</h2>
      {conversations.length === 0 && <p className="muted small">What you talk about is listed here.</p>}
      <ul>
        {conversations.map(({ id, title, updated_at }) => (
          <li key={id}>
            <Link
              href={toChat(agentId, id)}
              className="chat-recent-item"
              {...(id === current && { 'aria-current': 'page' as const })}
            >
              <span className="truncate foreign">{title ?? 'Untitled'}</span>
              <span className="muted small">
                <RelativeTime value={updated_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <Link href={`/conversations?agent=${encodeURIComponent(agentId)}`} className="small">
        All conversations
      </Link>
    </nav>
  )
}
