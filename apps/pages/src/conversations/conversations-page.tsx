import type { Conversation } from '@homeward/contract/agent-platform'
import { MessageCircle } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { usePlatformPages } from '../api/platform.ts'
import { useIsLimited } from '../api/server-facts.ts'
import { conversationsOf } from '../api/rows-of.ts'
import { Button } from '../components/buttons/button.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { ListPage } from '../components/table/list-page.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { LoadingState } from '../components/states/loading-state.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { AgentName } from '../components/agents/agent-filter.tsx'
import { UserFilter } from '../components/agents/user-filter.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { AgentFilter } from '../components/agents/agent-filter.tsx'
import { AppendDialog } from './append-dialog.tsx'
import './conversations.css'

/** So many found ones fill a page: further ones come as somebody scrolls. */
const enoughRows = 30
/** Older ones than these are looked for only as somebody scrolls to them. */
const mostRows = 5000

const noFilter = { agent: '', text: '', user: '' }

/** All conversations, the newest first. The filters stand in the address. */
export function ConversationsPage() {
  const [{ agent, text, user }, change] = useAddressFilter(noFilter)
  const agentId = agent || undefined
  const userId = useDebounced(user.trim(), 300)
  const isLimited = useIsLimited()
  const query = usePlatformPages(
    'listConversations',
    {
      query: {
        limit: '100',
        ...(agentId !== undefined && { agent_id: agentId }),
        ...(userId !== '' && { user_id: userId }),
      },
    },
    { select: conversationsOf },
  )
  const { data, loadMore, isFetchingNextPage, error } = query
  const found = useMemo(() => data?.filter((each) => isMatch(each, text)) ?? [], [data, text])
  const isWanted = text.trim() !== '' && found.length < enoughRows && (data?.length ?? 0) < mostRows
  const isLookedFor = isWanted && error === null && loadMore !== undefined
  useEffect(() => {
    if (isLookedFor && !isFetchingNextPage) loadMore()
  }, [isLookedFor, isFetchingNextPage, loadMore])
  return (
    <ListPage
      title="Conversations"
      description="Conversations with each agent: here, over the API and on messaging channels."
      actions={
        <>
          {!isLimited && <AppendDialog agentId={agentId} />}
          <LinkButton href="/chat" variant="primary" icon={<MessageCircle aria-hidden />}>
            New chat
          </LinkButton>
        </>
      }
      filters={
        <div className="row" data-align="end">
          <div className="grow conversation-search">
            <SearchField
              label="Find by title or id"
              value={text}
              onChange={(written) => change({ text: written })}
              maxLength={500}
              {...(loadMore && { description: 'Older conversations are loaded while you search.' })}
            />
          </div>
          <UserFilter value={user} onChange={(written) => change({ user: written })} />
          <AgentFilter value={agentId} onChange={(chosen = '') => change({ agent: chosen })} />
        </div>
      }
      query={query}
      shown={found}
      columns={columns}
      cards="compact"
      rowText={({ title }) => title ?? 'Untitled'}
      rowHref={({ id }) => `/conversations/${encodeURIComponent(id)}`}
      empty={
        isLookedFor ? (
          <LoadingState />
        ) : (
          <NothingFound hasAny={data !== undefined && data.length > 0} onLookOn={loadMore} />
        )
      }
    />
  )
}

interface NothingFoundProps {
  readonly hasAny: boolean
  /** Reads older ones, where there are some. */
  readonly onLookOn: (() => void) | undefined
}

function NothingFound({ hasAny, onLookOn }: NothingFoundProps) {
  if (!hasAny)
    return (
      <EmptyState title="No conversations yet">
        Conversations appear here once you chat with an agent.
      </EmptyState>
    )
  return (
    <EmptyState
      title="No conversation fits"
      action={onLookOn && <Button onPress={onLookOn}>Search older conversations</Button>}
    >
      Try other words.
    </EmptyState>
  )
}

function isMatch({ id, title = '', summary = '' }: Conversation, text: string): boolean {
  const wanted = text.trim().toLocaleLowerCase()
  return wanted === '' || [title, summary, id].some((each) => each.toLocaleLowerCase().includes(wanted))
}

const columns: readonly DataColumn<Conversation>[] = [
  {
    id: 'title',
    header: 'Title',
    width: '3fr',
    minWidth: 180,
    cell: ({ title }) => <span className="truncate foreign">{title ?? 'Untitled'}</span>,
  },
  {
    id: 'agent',
    header: 'Agent',
    cell: ({ agent_id }) => (
      <span className="truncate foreign">
        <AgentName id={agent_id} />
      </span>
    ),
  },
  {
    id: 'user',
    header: 'Person',
    cell: ({ user_id }) => <span className="truncate foreign">{user_id ?? '–'}</span>,
    isHiddenInCards: true,
  },
  {
    id: 'count',
    header: 'Messages',
    width: 100,
    align: 'end',
    cell: (each) => each.message_count,
    cardCell: ({ message_count: count }) => (count === 1 ? '1 message' : `${count} messages`),
  },
  {
    id: 'updated',
    header: 'Last',
    width: 130,
    isCardCorner: true,
    cell: ({ updated_at }) => <RelativeTime value={updated_at} />,
  },
]
