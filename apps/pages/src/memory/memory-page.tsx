import { Search } from 'lucide-react'
import { usePlatformQuery } from '../api/platform.ts'
import { EmptyState } from '../components/states/empty-state.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { useDebounced } from '../components/use-debounced.ts'
import { AgentFilter } from '../components/agents/agent-filter.tsx'
import './memory.css'
import { FoundMemories } from './found-memories.tsx'
import { WriteMemoryDialog } from './write-memory-dialog.tsx'

const noFilter = { q: '', agent_id: '', user_id: '', tags: '', limit: '20' }

/** What is looked for, by the names of the interface. An empty text stands for all. */
type MemoryFilter = Readonly<typeof noFilter>

const limits = ['10', '20', '50'].map((value) => ({ value, label: `${value} results` }))

/** Long-term memory: what agents have written down, found by its words. What is looked for stands in the address. */
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
        <SelectField
          label="Maximum results"
          options={limits}
          value={limitOf(filter)}
          onChange={(limit) => change({ limit })}
        />
      </FilterBar>
      <Results filter={filter} />
    </>
  )
}

/** All of them together have to fit into the first line of a request, each letter as up to nine bytes. */
const longestText = 500

/** Somebody may have written another one into the address. */
function limitOf({ limit }: MemoryFilter): string {
  return limits.some(({ value }) => value === limit) ? limit : noFilter.limit
}

function Results({ filter }: { readonly filter: MemoryFilter }) {
  const settled = useDebounced(filter)
  const { q, agent_id, user_id, tags } = settled
  const query = q.trim()
  const found = usePlatformQuery(
    'searchMemory',
    {
      query: {
        q: query,
        limit: limitOf(settled),
        ...(agent_id !== '' && { agent_id }),
        ...(user_id.trim() !== '' && { user_id: user_id.trim() }),
        ...(tags.trim() !== '' && { tags: tags.trim() }),
      },
    },
    { enabled: query !== '', keepPrevious: true },
  )
  return (
    <>
      {/* The field keeps the focus: who does not see the list hears of it. */}
      <p role="status" className="visually-hidden">
        {query !== '' && found.data && `Memories found: ${found.data.results.length}`}
      </p>
      {query === '' ? (
        <EmptyState title="Search memories" icon={<Search aria-hidden />}>
          Enter words of a memory. The best matches come first.
        </EmptyState>
      ) : (
        <QueryView
          query={found}
          isEmpty={({ results }) => results.length === 0}
          empty={<EmptyState title="No memories match">Try other words, or fewer filters.</EmptyState>}
        >
          {({ results }) => <FoundMemories results={results} query={query} />}
        </QueryView>
      )}
    </>
  )
}
