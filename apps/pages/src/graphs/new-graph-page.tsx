import type { Graph } from '@homeward/contract/agent-platform'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { createOnce } from '../api/create-once.ts'
import { platform, usePlatformQuery } from '../api/platform.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { LeaveGuard } from '../components/dialogs/leave-guard.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { toGraphBody } from './draft-problems.ts'
import { type GraphDraft, newDraft, toDraft } from './graph-draft.ts'
import { GraphEditor } from './graph-editor.tsx'
import { showGraphCreated, showGraphSaved, updateGraph } from './update-graph.ts'
import { type GraphEditing, useGraphEditor } from './use-graph-editor.ts'

const back = { href: '/graphs', label: 'Graphs' }

/** Draws a new graph. */
export function NewGraphPage() {
  const agents = usePlatformQuery('listAgents')
  const isThere = agents.data !== undefined && agents.data.agents.length > 0
  return (
    <>
      {!isThere && <PageHeader title="New graph" back={back} />}
      <QueryView
        query={agents}
        isEmpty={(reply) => reply.agents.length === 0}
        empty={
          <EmptyState
            title="No agents yet"
            action={<LinkButton href="/agents/_new">Create an agent</LinkButton>}
          >
            Create an agent first: the nodes of a graph run agents.
          </EmptyState>
        }
      >
        {(reply) => <NewGraph agents={reply.agents.map(({ id }) => id)} />}
      </QueryView>
    </>
  )
}

function NewGraph({ agents }: { readonly agents: readonly string[] }) {
  const [, navigate] = useLocation()
  const [first] = useState(() => newDraft(agents[0] ?? ''))
  const queries = useQueryClient()
  const { keyFor } = useIdempotencyKey()
  // Set where something was written while it was being created: the page stays, and saves the rest to what is there.
  const [created, setCreated] = useState<string>()
  const editing: GraphEditing = useGraphEditor(
    first,
    (draft) => (created === undefined ? createGraph(draft, keyFor) : updateGraph(queries, created, draft)),
    ({ id }, isAll) => {
      if (isAll) return navigate(`/graphs/${id}`)
      if (created !== undefined) return showGraphSaved(isAll)
      setCreated(id)
      // Another id cannot be had any more, and its field is gone.
      editing.dispatch({ type: 'change-fields', change: { id } })
      showGraphCreated()
    },
  )
  return (
    <>
      <PageHeader
        title={created === undefined ? 'New graph' : `Edit ${created}`}
        back={back}
        actions={
          <Button variant="primary" isPending={editing.isSaving} onPress={() => void editing.save()}>
            {created === undefined ? 'Create' : 'Save'}
          </Button>
        }
      />
      <LeaveGuard isDirty={editing.isChanged} />
      <GraphEditor editing={editing} agents={agents} isNew={created === undefined} />
    </>
  )
}

/** @param keyFor gives whoever chooses no id one, and the same for the same graph. */
async function createGraph(draft: GraphDraft, keyFor: (body: unknown) => string): Promise<Graph> {
  const body = toGraphBody(draft)
  const id = draft.fields.id || `graph-${keyFor(body).slice(0, 12)}`
  const { graph } = await createOnce({
    create: () => platform.createGraph({ body: { ...body, id } }),
    read: () => platform.getGraph({ params: { id } }),
    wanted: body,
    toWanted: (reply) => toGraphBody(toDraft(reply.graph)),
  })
  return graph
}
