import { useState } from 'react'
import { useLocation } from 'wouter'
import { platform, usePlatformQuery } from '../../api/platform.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LeaveGuard } from '../../components/leave-guard.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { newId, toGraphBody } from './draft-problems.ts'
import { newDraft } from './graph-draft.ts'
import { GraphEditor } from './graph-editor.tsx'
import { useGraphEditor } from './use-graph-editor.ts'

const back = { href: '/graphs', label: 'Graphs' }

/** Draws a new graph. */
export function NewGraphPage() {
  const agents = usePlatformQuery('listAgents')
  return (
    <QueryView
      query={agents}
      isEmpty={(reply) => reply.agents.length === 0}
      empty={
        <EmptyState
          title="There are no agents yet"
          action={<LinkButton href="/agents/_new">Create an agent</LinkButton>}
        >
          The nodes of a graph are agents.
        </EmptyState>
      }
    >
      {(reply) => <NewGraph agents={reply.agents.map(({ id }) => id)} />}
    </QueryView>
  )
}

function NewGraph({ agents }: { readonly agents: readonly string[] }) {
  const [, navigate] = useLocation()
  const [first] = useState(() => newDraft(agents[0] ?? ''))
  const editing = useGraphEditor(first, async (draft) => {
    const { graph } = await platform.createGraph({ body: { ...newId(draft), ...toGraphBody(draft) } })
    navigate(`/graphs/${graph.id}`)
  })
  return (
    <>
      <PageHeader
        title="New graph"
        back={back}
        actions={
          <Button variant="primary" isPending={editing.isSaving} onPress={() => void editing.save()}>
            Create
          </Button>
        }
      />
      <LeaveGuard isDirty={editing.isChanged} />
      <GraphEditor editing={editing} agents={agents} isNew />
    </>
  )
}
