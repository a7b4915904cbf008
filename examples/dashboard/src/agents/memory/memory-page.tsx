import { useState } from 'react'
import { Search } from 'lucide-react'
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

/** What is looked for. */
interface MemoryFilter {
  readonly text: string
  readonly agentId: string | undefined
  readonly userId: string
  readonly tags: string
  readonly limit: string
}

const noFilter: MemoryFilter = { text: '', agentId: undefined, userId: '', tags: '', limit: '20' }
const limits = ['10', '20', '50'].map((value) => ({ value, label: `${value} results` }))

/** Long-term memory: what agents have written down, found by its words. */
export function MemoryPage() {
  const [filter, setFilter] = useState(noFilter)
  const change = (changed: Partial<MemoryFilter>) => setFilter({ ...filter, ...changed })
  return (
    <>
      <PageHeader
        title="Memory"
        description="What agents remember beyond a conversation."
        actions={<WriteMemoryDialog agentId={filter.agentId} />}
      />
      <FilterBar isMainFirst>
        <SearchField
          label="Search for"
          placeholder="Words that it may hold"
          value={filter.text}
          onChange={(text) => change({ text })}
          maxLength={10_000}
          autoFocus
        />
        <AgentFilter value={filter.agentId} onChange={(agentId) => change({ agentId })} />
        <TextField
          label="Person"
          value={filter.userId}
          onChange={(userId) => change({ userId })}
          maxLength={200}
        />
        <TextField
          label="Tags"
          placeholder="home, garden"
          value={filter.tags}
          onChange={(tags) => change({ tags })}
          maxLength={5000}
        />
        <SelectField
          label="At most"
          options={limits}
          value={filter.limit}
          onChange={(limit) => change({ limit })}
        />
      </FilterBar>
      <Results filter={filter} />
    </>
  )
}

function Results({ filter }: { readonly filter: MemoryFilter }) {
  const { text, agentId, userId, tags, limit } = useDebounced(filter)
  const query = text.trim()
  const found = usePlatformQuery(
    'searchMemory',
    {
      query: {
        q: query,
        limit,
        ...(agentId !== undefined && { agent_id: agentId }),
        ...(userId.trim() !== '' && { user_id: userId.trim() }),
        ...(tags.trim() !== '' && { tags: tags.trim() }),
      },
    },
    { enabled: query !== '', keepPrevious: true },
  )
  if (query === '') {
    return (
      <EmptyState title="What shall be found?" icon={<Search aria-hidden />}>
        Memories are found by the words in them. The best matches come first.
      </EmptyState>
    )
  }
  return (
    <QueryView
      query={found}
      isEmpty={({ results }) => results.length === 0}
      empty={<EmptyState title="No memory fits">Try other words, or fewer filters.</EmptyState>}
    >
      {({ results }) => <FoundMemories results={results} query={query} />}
    </QueryView>
  )
}
