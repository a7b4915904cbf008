import type { Conversation } from '@homeward/contract/agent-platform'
import { MessageCircle } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { usePlatformPages } from '../api/platform.ts'
import { useIsLimited } from '../api/server-facts.ts'
import { conversationsOf, peopleSources, programSources } from '../api/rows-of.ts'
import { Button } from '../components/buttons/button.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { ListPage } from '../components/table/list-page.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { LoadingState } from '../components/states/loading-state.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { AgentName } from '../components/agents/agent-filter.tsx'
import { UserFilter } from '../components/agents/user-filter.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { AgentFilter } from '../components/agents/agent-filter.tsx'
import { AppendDialog } from './append-dialog.tsx'

/** So many found ones fill a page: further ones come as somebody scrolls. */
const enoughRows = 30
/** Older ones than these are looked for only as somebody scrolls to them. */
const mostRows = 5000

const noFilter = { agent: '', text: '', user: '', by: 'people' }

/** Who starts the runs of a conversation. An unknown value in the address shows all. */
const startedBy = [
  { value: 'people', label: 'People' },
  { value: 'programs', label: 'Programs' },
  { value: 'all', label: 'Everyone' },
]

/** All conversations, the newest first. The filters stand in the address. */
export function ConversationsPage() {
  const [{ agent, text, user, by }, change] = useAddressFilter(noFilter)
  const agentId = agent || undefined
  const userId = useDebounced(user.trim(), 300)
  const isLimited = useIsLimited()
  const query = usePlatformPages(
    'listConversations',
    {
      query: {
        limit: '100',
        ...sourcesOf(by),
        ...(agentId !== undefined && { agent_id: agentId }),
        ...(userId !== '' && { user_id: userId }),
      },
    },
    { select: conversationsOf, keepPrevious: true },
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
        <FilterBar
          isMainFirst
          active={Number(by !== noFilter.by) + Number(agent !== '') + Number(user !== '')}
        >
          <SearchField
            label="Find by title or id"
            placeholder="Words of the title"
            value={text}
            onChange={(written) => change({ text: written })}
            maxLength={500}
          />
          <SelectField
            label="Started by"
            options={startedBy}
            value={startedBy.some(({ value }) => value === by) ? by : 'all'}
            onChange={(chosen) => change({ by: chosen })}
          />
          <UserFilter value={user} onChange={(written) => change({ user: written })} />
          <AgentFilter value={agentId} onChange={(chosen = '') => change({ agent: chosen })} />
        </FilterBar>
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
          <NothingFound
            hasAny={data !== undefined && data.length > 0}
            onLookOn={loadMore}
            {...(by === 'people' && { onShowAll: () => change({ by: 'all' }) })}
          />
        )
      }
    />
  )
}

interface NothingFoundProps {
  readonly hasAny: boolean
  /** Reads older ones, where there are some. */
  readonly onLookOn: (() => void) | undefined
  /** Shows those of programs, too. */
  readonly onShowAll?: () => void
}

function NothingFound({ hasAny, onLookOn, onShowAll }: NothingFoundProps) {
  if (!hasAny)
    return (
      <EmptyState
        title={onShowAll ? 'No conversations of people yet' : 'No conversations yet'}
        action={onShowAll && <Button onPress={onShowAll}>Show conversations of programs, too</Button>}
      >
        Conversations appear here once somebody chats with an agent, here or on a messaging channel.
      </EmptyState>
    )
  return (
    <EmptyState
      title="No conversations match"
      action={onLookOn && <Button onPress={onLookOn}>Search older conversations</Button>}
    >
      Try other words.
    </EmptyState>
  )
}

function sourcesOf(by: string): { readonly source?: string } {
  if (by === 'people') return { source: peopleSources }
  return by === 'programs' ? { source: programSources } : {}
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
    cell: ({ title, active_run_status: status }) => (
      <>
        {status && <StatusBadge status={status} />} <span className="foreign">{title ?? 'Untitled'}</span>
      </>
    ),
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
