import type { Graph } from '@homeward/contract/agent-platform'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { usePlatformQuery } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { LeaveGuard } from '../components/dialogs/leave-guard.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { toDraft } from './graph-draft.ts'
import { GraphEditor } from './graph-editor.tsx'
import { findOtherChange, showGraphSaved, updateGraph } from './update-graph.ts'
import { useGraphEditor } from './use-graph-editor.ts'

const list = { href: '/graphs', label: 'Graphs' }

/** Changes a graph. */
export function EditGraphPage() {
  const { id = '' } = useParams()
  const graph = usePlatformQuery('getGraph', { params: { id } })
  const agents = usePlatformQuery('listAgents')
  return (
    <>
      {graph.data === undefined && <PageHeader title={`Edit ${id}`} back={list} />}
      <QueryView key={id} query={graph} missing={<MissingState kind="graph" id={id} list={list} />} isFresh>
        {(found) => (
          <EditedGraph graph={found.graph} agents={agents.data?.agents.map((each) => each.id) ?? []} />
        )}
      </QueryView>
    </>
  )
}

const changedByOthers =
  'The graph was changed elsewhere since you opened it. Check the change in another tab, or save again to overwrite it.'

function EditedGraph({ graph, agents }: { readonly graph: Graph; readonly agents: readonly string[] }) {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  // What others change meanwhile does not take away what is being typed; the last who saves wins, and knows it.
  const [first] = useState(() => toDraft(graph))
  const knownAt = useRef(graph.updated_at)
  const href = `/graphs/${graph.id}`
  const editing = useGraphEditor(
    first,
    async (draft) => {
      const otherAt = await findOtherChange(graph.id, knownAt.current)
      if (otherAt === undefined) return updateGraph(queries, graph.id, draft)
      knownAt.current = otherAt
      throw new Error(changedByOthers)
    },
    (saved, isAll) => {
      knownAt.current = saved.updated_at
      showGraphSaved(isAll)
      if (isAll) navigate(href)
    },
  )
  return (
    <>
      <PageHeader
        title={`Edit ${graph.name ?? graph.id}`}
        back={{ href, label: graph.name ?? graph.id }}
        actions={
          <>
            <LinkButton href={href}>Cancel</LinkButton>
            <Button variant="primary" isPending={editing.isSaving} onPress={() => void editing.save()}>
              Save
            </Button>
          </>
        }
      />
      <LeaveGuard isDirty={editing.isChanged} />
      <GraphEditor editing={editing} agents={agents} isNew={false} />
    </>
  )
}
