import { Brain } from 'lucide-react'
import { usePlatformPages, usePlatformQuery } from '../api/platform.ts'
import { memoriesOf } from '../api/rows-of.ts'
import { Button } from '../components/buttons/button.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { useDebounced } from '../components/use-debounced.ts'
import { AgentFilter } from '../components/agents/agent-filter.tsx'
import './memory.css'
import { FoundMemories } from './found-memories.tsx'
import { WriteMemoryDialog } from './write-memory-dialog.tsx'

const noFilter = { q: '', agent_id: '', user_id: '', tags: '' }

/** What is looked for, by the names of the interface. An empty text stands for all. */
type MemoryFilter = Readonly<typeof noFilter>

/** Long-term memory: what agents have written down, newest first, or found by its words. The filters stand in the address. */
export function MemoryPage() {
  const [filter, change] = useAddressFilter(noFilter)
  const agentId = filter.agent_id || undefined
  return (
    <>
      <PageHeader
        title="Memory"
        description="Facts that agents remember across conversations."
        actions={<WriteMemoryDialog agentId={agentId} />}
      />
      <FilterBar isMainFirst>
        <SearchField
          label="Search for"
          placeholder="Words of the memory"
          value={filter.q}
          onChange={(q) => change({ q })}
          maxLength={longestText}
          autoFocus
        />
        <AgentFilter value={agentId} onChange={(id = '') => change({ agent_id: id })} />
        <TextField
          label="Person"
          value={filter.user_id}
          onChange={(userId) => change({ user_id: userId })}
          maxLength={200}
        />
        <TextField
          label="Tags"
          placeholder="home, garden"
          value={filter.tags}
          onChange={(tags) => change({ tags })}
          maxLength={longestText}
        />
      </FilterBar>
      <Results filter={filter} />
    </>
  )
}

/** All of them together have to fit into the first line of a request, each letter as up to nine bytes. */
const longestText = 500

/** The longest list that a search gives. */
const mostFound = '50'

function Results({ filter }: { readonly filter: MemoryFilter }) {
  const { q, agent_id, user_id, tags } = useDebounced(filter)
  const query = q.trim()
  const narrowed = {
    ...(agent_id !== '' && { agent_id }),
    ...(user_id.trim() !== '' && { user_id: user_id.trim() }),
    ...(tags.trim() !== '' && { tags: tags.trim() }),
  }
  const found = usePlatformQuery(
    'searchMemory',
    { query: { q: query, limit: mostFound, ...narrowed } },
    { enabled: query !== '', keepPrevious: true },
  )
  const all = usePlatformPages(
    'listMemories',
    { query: { limit: '50', ...narrowed } },
    { enabled: query === '', keepPrevious: true, select: memoriesOf },
  )
  const isNarrowed = Object.keys(narrowed).length > 0
  return (
    <>
      {/* The field keeps the focus: who does not see the list hears of it. */}
      <p role="status" className="visually-hidden">
        {query !== '' && found.data && `Memories found: ${found.data.results.length}`}
      </p>
      {query === '' ? (
        <QueryView
          query={all}
          isEmpty={(memories) => memories.length === 0}
          empty={isNarrowed ? <NoMatch /> : <NoMemories />}
        >
          {(memories) => (
            <>
              <FoundMemories memories={memories} query="" />
              {all.loadMore && (
                <Button onPress={all.loadMore} isPending={all.isFetchingNextPage}>
                  Show older memories
                </Button>
              )}
            </>
          )}
        </QueryView>
      ) : (
        <QueryView query={found} isEmpty={({ results }) => results.length === 0} empty={<NoMatch />}>
          {({ results }) => <FoundMemories memories={results} query={query} />}
        </QueryView>
      )}
    </>
  )
}

const NoMatch = () => <EmptyState title="No memories match">Try other words, or fewer filters.</EmptyState>

const NoMemories = () => (
  <EmptyState title="No memories yet" icon={<Brain aria-hidden />}>
    Facts appear here once an agent with the memory tools remembers one, or once you write one.
  </EmptyState>
)
