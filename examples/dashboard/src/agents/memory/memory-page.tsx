import { Search } from 'lucide-react'
import { useSearchParams } from 'wouter'
import { usePlatformQuery } from '../../api/platform.ts'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { FilterBar } from '../../components/table/filter-bar.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { SearchField } from '../../components/fields/search-field.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import { useDebounced } from '../../components/use-debounced.ts'
import { AgentFilter } from '../runs/agent-filter.tsx'
import './memory.css'
import { FoundMemories } from './found-memories.tsx'
import { WriteMemoryDialog } from './write-memory-dialog.tsx'

const noFilter = { q: '', agent_id: '', user_id: '', tags: '', limit: '20' }

/** What is looked for, by the names of the interface. An empty text stands for all. */
type MemoryFilter = Readonly<typeof noFilter>

const limits = ['10', '20', '50'].map((value) => ({ value, label: `${value} results` }))

/** Long-term memory: what agents have written down, found by its words. What is looked for stands in the address. */
export function MemoryPage() {
  const [search, setSearch] = useSearchParams()
  const filter = readFilter(search)
  const change = (changed: Partial<MemoryFilter>) =>
    setSearch(toSearch({ ...filter, ...changed }), { replace: true })
  const agentId = filter.agent_id || undefined
  return (
    <>
      <PageHeader
        title="Memory"
        description="What agents remember beyond a conversation."
        actions={<WriteMemoryDialog agentId={agentId} />}
      />
      <FilterBar isMainFirst>
        <SearchField
          label="Search for"
          placeholder="Words that it may hold"
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
          label="At most"
          options={limits}
          value={filter.limit}
          onChange={(limit) => change({ limit })}
        />
      </FilterBar>
      <Results search={search.toString()} />
    </>
  )
}

/** All of them together have to fit into the first line of a request, each letter as up to nine bytes. */
const longestText = 500

function readFilter(search: URLSearchParams): MemoryFilter {
  const names = Object.keys(noFilter) as (keyof MemoryFilter)[]
  const read = Object.fromEntries(names.map((name) => [name, search.get(name) ?? noFilter[name]]))
  const filter = { ...noFilter, ...read }
  // Somebody may have written another one into the address.
  return limits.some(({ value }) => value === filter.limit) ? filter : { ...filter, limit: noFilter.limit }
}

/** What is not as it begins. */
function toSearch(filter: MemoryFilter): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filter).filter(([name, value]) => value !== noFilter[name as keyof MemoryFilter]),
  )
}

function Results({ search }: { readonly search: string }) {
  const { q, agent_id, user_id, tags, limit } = readFilter(new URLSearchParams(useDebounced(search)))
  const query = q.trim()
  const found = usePlatformQuery(
    'searchMemory',
    {
      query: {
        q: query,
        limit,
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
        <EmptyState title="What shall be found?" icon={<Search aria-hidden />}>
          Memories are found by the words in them. The best matches come first.
        </EmptyState>
      ) : (
        <QueryView
          query={found}
          isEmpty={({ results }) => results.length === 0}
          empty={<EmptyState title="No memory fits">Try other words, or fewer filters.</EmptyState>}
        >
          {({ results }) => <FoundMemories results={results} query={query} />}
        </QueryView>
      )}
    </>
  )
}
