import type { Agent } from '@homeward/contract/agent-platform'
import { Users } from 'lucide-react'
import { useMemo } from 'react'
import { useParams } from 'wouter'
import { usePlatformQueries, usePlatformQuery } from '../api/platform.ts'
import { Card } from '../components/layout/card.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { type DataColumn, DataTable } from '../components/table/data-table.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { formatCount } from '../components/text/to-shown-text.ts'
import { useNow } from '../components/text/use-now.ts'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { formatUsd } from '../usage/format-usage.ts'
import { periodOf } from '../usage/to-forecast.ts'
import { type AgentUser, everyChannel, leftOf, periodOfUsers, toAgentUsers, tokensOf } from './agent-users.ts'
import { UserView } from './user-view.tsx'

const noUser = { user: '' }
const list = { href: '/agents', label: 'Agents' }

/** The users of an agent; with `user` in the address, what belongs to this one. */
export function UsersPage() {
  const { id } = useParams<{ id: string }>()
  const [{ user }] = useAddressFilter(noUser)
  const query = usePlatformQuery('getAgent', { params: { id } })
  const name = query.data?.agent.name ?? id
  const path = `/agents/${encodeURIComponent(id)}`
  return (
    <>
      <PageHeader
        title={user === '' ? `Users of ${name}` : user}
        description={user === '' ? 'Usage and budget of each user.' : `User of ${name}`}
        back={
          user === '' ? { href: path, label: name } : { href: `${path}/users`, label: `Users of ${name}` }
        }
      />
      <QueryView query={query} missing={<MissingState kind="agent" id={id} list={list} />}>
        {({ agent }) =>
          user === '' ? <UserList agent={agent} /> : <UserOfAgent key={user} agent={agent} userId={user} />
        }
      </QueryView>
    </>
  )
}

const minuteMs = 60_000
const mostRuns = 200

/** Usage of each user of an agent since the current period of the budgets began. */
function useUsage(agent: Agent, userId?: string) {
  const { startMs } = periodOf(periodOfUsers(agent), useNow(minuteMs))
  const query = {
    from: new Date(startMs).toISOString(),
    interval: 'day',
    agent_id: agent.id,
    group: 'user',
    ...(userId !== undefined && { user_id: userId }),
  } as const
  return usePlatformQuery('getUsage', { query }, { refetchInterval: minuteMs, keepPrevious: true })
}

function UserOfAgent({ agent, userId }: { readonly agent: Agent; readonly userId: string }) {
  const report = useUsage(agent, userId)
  return <UserView agent={agent} userId={userId} report={report} />
}

function UserList({ agent }: { readonly agent: Agent }) {
  const report = useUsage(agent)
  const runs = usePlatformQuery('listRuns', { query: { agent_id: agent.id, limit: String(mostRuns) } })
  const remembered = usePlatformQuery('listRememberedApprovals', { params: { id: agent.id } })
  const senders = usePlatformQueries('listChannelSenders', everyChannel)
  return (
    <QueryView query={report}>
      {({ usage }) => (
        <QueryView query={runs}>
          {({ runs }) => {
            const users = toAgentUsers({
              usage,
              runs,
              approvals: remembered.data?.approvals ?? [],
              senders: senders.flatMap((reply) => reply?.senders ?? []),
            })
            return users.length === 0 ? (
              <EmptyState title="No users yet" icon={<Users aria-hidden />}>
                Users appear here after their first run with this agent.
              </EmptyState>
            ) : (
              <Card>
                <UserTable agent={agent} users={users} />
                <p className="muted small">
                  Lists users who used the agent {periodNames[periodOfUsers(agent)]}, and users of the newest{' '}
                  {mostRuns} runs or of remembered approvals.
                </p>
              </Card>
            )
          }}
        </QueryView>
      )}
    </QueryView>
  )
}

const periodNames = { day: 'today (UTC)', month: 'this month (UTC)' } as const

function UserTable({ agent, users }: { readonly agent: Agent; readonly users: readonly AgentUser[] }) {
  const columns = useMemo(() => columnsFor(agent), [agent])
  return (
    <DataTable
      label="Users"
      columns={columns}
      rows={users}
      rowId={({ id }) => id}
      rowHref={({ id }) => `/agents/${encodeURIComponent(agent.id)}/users?user=${encodeURIComponent(id)}`}
      cards="compact"
    />
  )
}

const columnsFor = (agent: Agent): readonly DataColumn<AgentUser>[] => [
  {
    id: 'user',
    header: 'User',
    width: '2fr',
    minWidth: 140,
    cell: ({ id, names }) => (
      <span title={[id, ...names].join(', ')}>
        {id}
        {names.length > 0 && <span className="muted small"> {names.join(', ')}</span>}
      </span>
    ),
  },
  {
    id: 'tokens',
    header: `Tokens ${periodNames[periodOfUsers(agent)]}`,
    align: 'end',
    minWidth: 190,
    cell: (user) => formatCount(tokensOf(user)),
    cardCell: (user) => `${formatCount(tokensOf(user))} tokens`,
  },
  {
    id: 'cost',
    header: 'Cost',
    align: 'end',
    width: 140,
    cell: ({ costUsd }) => (costUsd === undefined ? '–' : formatUsd(costUsd)),
    cardCell: ({ costUsd }) => (costUsd === undefined ? undefined : formatUsd(costUsd)),
  },
  {
    id: 'left',
    header: 'Budget left',
    align: 'end',
    minWidth: 180,
    cell: (user) => leftOf(agent, user) ?? 'no budget',
  },
  {
    id: 'latest',
    header: 'Latest run',
    width: 130,
    isCardCorner: true,
    cell: ({ lastRunAt }) => (lastRunAt === undefined ? '–' : <RelativeTime value={lastRunAt} />),
  },
]
