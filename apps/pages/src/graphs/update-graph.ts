import type { Graph } from '@homeward/contract/agent-platform'
import type { QueryClient } from '@tanstack/react-query'
import { platform } from '../api/platform.ts'
import { refresh } from '../api/refresh.ts'
import { showToast } from '../components/states/toasts.tsx'
import { toGraphBody } from './draft-problems.ts'
import type { GraphDraft } from './graph-draft.ts'

/**
 * Asks whether a graph was changed elsewhere: it is saved as a whole, so that what others changed would be lost.
 *
 * @param knownAt when the graph was last changed, as far as it is known here.
 * @returns when it was changed after that; undefined where it was not.
 */
export async function findOtherChange(id: string, knownAt: string): Promise<string | undefined> {
  const { graph } = await platform.getGraph({ params: { id } })
  return graph.updated_at === knownAt ? undefined : graph.updated_at
}

/** Saves a graph that is there, and reads again what shows it. */
export async function updateGraph(queries: QueryClient, id: string, draft: GraphDraft): Promise<Graph> {
  const { graph } = await platform.updateGraph({ params: { id }, body: toGraphBody(draft) })
  await Promise.all(
    ['getGraph', 'listGraphs', 'listSchedules'].map((key) => refresh(queries, { queryKey: [key] })),
  )
  return graph
}

/** Says that a graph is saved. @param isAll whether nothing was written while that was under way. */
export function showGraphSaved(isAll: boolean): void {
  const text = isAll ? 'Running graphs are not affected.' : notSavedYet
  showToast({ title: 'Graph saved', text })
}

/** Says of a new graph that is there why its page stays. */
export function showGraphCreated(): void {
  showToast({ title: 'Graph created', text: notSavedYet })
}

const notSavedYet = 'Your later changes are not saved yet.'
