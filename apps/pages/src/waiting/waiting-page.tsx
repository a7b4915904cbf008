import type { ReplyOf } from '@homeward/contract'
import { type AgentPlatformOperations, type ListedWait, WaitKind } from '@homeward/contract/agent-platform'
import { Hourglass } from 'lucide-react'
import { Link } from 'react-aria-components'
import { useSearchParams } from 'wouter'
import { usePlatformPages, usePlatformQuery } from '../api/platform.ts'
import { WaitView } from '../chat/wait-view.tsx'
import { UserFilter } from '../components/agents/user-filter.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { AgentName } from '../components/agents/agent-filter.tsx'
import { Button } from '../components/buttons/button.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import './waiting.css'

const pageSize = '50'
const longestTask = 300
const waitsOf = ({ waits }: ReplyOf<AgentPlatformOperations['listWaits']>) => waits

const kindLabels: Readonly<Record<WaitKind, string>> = {
  approval: 'Approvals',
  question: 'Questions',
  client_tool: 'Results of tools',
  event: 'Events and times',
  login: 'Logins',
  budget: 'Budgets',
}

const kindOptions = [
  { value: 'all', label: 'Everything' },
  ...WaitKind.options.map((kind) => ({ value: kind, label: kindLabels[kind] })),
]

/** Open waits: who must answer, and since when. The page answers them in place. */
export function WaitingPage() {
  const [search, setSearch] = useSearchParams()
  const parsed = WaitKind.safeParse(search.get('kind'))
  const kind = parsed.success ? parsed.data : undefined
  const user = search.get('user') ?? ''
  const userId = useDebounced(user.trim(), 300)
  const filter = (kindNow: string | undefined, userNow: string) =>
    setSearch({ ...(kindNow && { kind: kindNow }), ...(userNow && { user: userNow }) }, { replace: true })
  const query = usePlatformPages(
    'listWaits',
    { query: { limit: pageSize, ...(kind && { kind }), ...(userId !== '' && { user_id: userId }) } },
    { select: waitsOf },
  )
  usePlatformQuery('listAgents') // the waits show their names
  return (
    <>
      <PageHeader title="Waiting" description="Decisions and answers for which runs wait." />
      <FilterBar>
        <SelectField
          label="Kind"
          options={kindOptions}
          value={kind ?? 'all'}
          onChange={(value) => filter(value === 'all' ? undefined : value, user)}
        />
        <UserFilter value={user} onChange={(written) => filter(kind, written)} />
      </FilterBar>
      <QueryView query={query}>
        {(waits) =>
          waits.length === 0 ? (
            <EmptyState
              title={kind ? 'Nothing of this kind waits' : 'Nothing waits'}
              icon={<Hourglass aria-hidden />}
              {...(kind && { action: <LinkButton href="/waiting">Show everything</LinkButton> })}
            >
              Runs that ask a person, or wait for an event or a time, show here.
            </EmptyState>
          ) : (
            <>
              <h2 className="visually-hidden">Open</h2>
              <ul className="waiting-list" aria-label="Waiting">
                {waits.map((wait) => (
                  <li key={wait.id} className="card waiting-item">
                    <Origin wait={wait} />
                    <WaitView wait={wait} />
                  </li>
                ))}
              </ul>
              {query.loadMore && (
                <Button variant="quiet" isPending={query.isFetchingNextPage} onPress={query.loadMore}>
                  Show more
                </Button>
              )}
            </>
          )
        }
      </QueryView>
    </>
  )
}

/** Which run waits, whose it is and since when. */
function Origin({ wait }: { readonly wait: ListedWait }) {
  const { run_id: runId, agent_id: agentId, graph_id: graphId, user_id: userId, created_at: since } = wait
  const { data } = usePlatformQuery('getRun', { params: { id: runId } })
  return (
    <>
      <p className="muted small">
        <Link href={`/runs/${encodeURIComponent(runId)}`}>{graphId ?? <AgentName id={agentId} />}</Link>
        {userId !== undefined && <span className="foreign"> for {userId}</span>}, since{' '}
        <RelativeTime value={since} />
      </p>
      {data && <p className="muted foreign">Task: {data.run.task.slice(0, longestTask)}</p>}
    </>
  )
}
