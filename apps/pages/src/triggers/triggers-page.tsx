import type { Trigger } from '@homeward/contract/agent-platform'
import { Plus, Webhook } from 'lucide-react'
import { useState } from 'react'
import { usePlatformQuery } from '../api/platform.ts'
import { AgentName } from '../components/agents/agent-filter.tsx'
import { Button } from '../components/buttons/button.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { ListPage, toList } from '../components/table/list-page.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { NewTriggerDialog } from './new-trigger-dialog.tsx'
import { targetOf, verificationNames } from './trigger-texts.ts'

const columns: readonly DataColumn<Trigger>[] = [
  {
    id: 'name',
    header: 'Trigger',
    width: '2fr',
    minWidth: 150,
    isRowHeader: true,
    cell: ({ name }) => <strong className="truncate">{name}</strong>,
  },
  {
    id: 'target',
    header: 'Starts',
    width: '2fr',
    minWidth: 140,
    cell: (trigger) => (
      <span className="truncate">
        <TriggerTarget trigger={trigger} />
      </span>
    ),
  },
  {
    id: 'verify',
    header: 'Calls are proven by',
    width: '2fr',
    minWidth: 170,
    isHiddenInCards: true,
    cell: ({ verify }) => <span className="truncate">{verificationNames[verify]}</span>,
  },
  {
    id: 'created',
    header: 'Created',
    width: 120,
    cell: ({ created_at }) => <RelativeTime value={created_at} />,
  },
  {
    id: 'state',
    header: 'State',
    width: 90,
    isCardCorner: true,
    cell: ({ enabled }) => <StatusBadge status={enabled ? 'on' : 'off'} />,
  },
]

/** The name of the agent, graph or event that a trigger starts. */
export function TriggerTarget({ trigger }: { readonly trigger: Trigger }) {
  const { kind, id } = targetOf(trigger)
  if (kind === 'agent') return <AgentName id={id} />
  return (
    <>
      {id} <span className="muted">{kind}</span>
    </>
  )
}

/** All triggers: addresses that other programs call. */
export function TriggersPage() {
  const query = usePlatformQuery('listTriggers')
  const [isOpen, setIsOpen] = useState(false)
  usePlatformQuery('listAgents') // the rows show their names
  return (
    <ListPage
      title="Triggers"
      description="Addresses that other programs call to start an agent or a graph: GitHub, Stripe, a doorbell."
      actions={
        <Button variant="primary" icon={<Plus aria-hidden />} onPress={() => setIsOpen(true)}>
          New trigger
        </Button>
      }
      query={toList(query, ({ triggers }) => triggers)}
      columns={columns}
      cards="compact"
      rowText={({ name }) => name}
      rowHref={({ id }) => `/triggers/${encodeURIComponent(id)}`}
      empty={
        <EmptyState
          title="No triggers yet"
          icon={<Webhook aria-hidden />}
          action={<Button onPress={() => setIsOpen(true)}>Create the first one</Button>}
        >
          Create a trigger, and enter its address at the other program. Each call starts a task.
        </EmptyState>
      }
    >
      <NewTriggerDialog isOpen={isOpen} onOpenChange={setIsOpen} />
    </ListPage>
  )
}
