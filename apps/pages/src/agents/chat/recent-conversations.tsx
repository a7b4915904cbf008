import { Link } from 'react-aria-components'
import { usePlatformPages } from '../../api/platform.ts'
import { conversationsOf } from '../../api/rows-of.ts'
import { QueryView } from '../../components/states/query-view.tsx'
import { RelativeTime } from '../../components/text/relative-time.tsx'
import { toChat } from './to-chat.ts'

/** What {@link RecentConversations} take. */
export interface RecentConversationsProps {
  readonly agentId: string
  readonly current: string
}

/** The newest conversations with an agent, to go back to. */
export function RecentConversations({ agentId, current }: RecentConversationsProps) {
  const query = usePlatformPages(
    'listConversations',
    { query: { agent_id: agentId, limit: '20' } },
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
        )}
      </QueryView>
      <Link href={`/conversations?agent=${encodeURIComponent(agentId)}`} className="small">
        All conversations
      </Link>
    </nav>
  )
}
