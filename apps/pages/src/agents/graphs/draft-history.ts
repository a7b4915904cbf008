import { changeDraft, type DraftAction, type GraphDraft } from './graph-draft.ts'

/** A graph as it is edited, with what it was before. */
export interface DraftHistory {
  readonly draft: GraphDraft
  /** What undo goes back to; the last one first. */
  readonly past: readonly GraphDraft[]
  /** What redo goes on to; the next one first. */
  readonly future: readonly GraphDraft[]
  /** What was changed last: going on with the same text is one step. */
  readonly place: string | undefined
}

/** Changes the graph, or takes a change back, or makes it again. */
export type HistoryAction = DraftAction | { readonly type: 'undo' } | { readonly type: 'redo' }

/** Steps that can be taken back. */
const maxSteps = 100

/** A graph that nothing was done to. */
export const newHistory = (draft: GraphDraft): DraftHistory => ({
  draft,
  past: [],
  future: [],
  place: undefined,
})

/** The history after an action. What changes nothing is no step. */
export function changeHistory(history: DraftHistory, action: HistoryAction): DraftHistory {
  const { draft, past, future } = history
  if (action.type === 'undo') {
    const [before, ...older] = past
    if (before === undefined) return history
    return { draft: before, past: older, future: [draft, ...future], place: undefined }
  }
  if (action.type === 'redo') {
    const [next, ...later] = future
    if (next === undefined) return history
    return { draft: next, past: [draft, ...past], future: later, place: undefined }
  }
  const changed = changeDraft(draft, action)
  if (changed === draft) return history
  const place = placeOf(action)
  const isSameStep = place !== undefined && place === history.place
  return { draft: changed, past: isSameStep ? past : [draft, ...past].slice(0, maxSteps), future: [], place }
}

/** Which field is being typed into; undefined for what is a step of its own. */
function placeOf(action: DraftAction): string | undefined {
  if (action.type === 'change-fields') return Object.keys(action.change).join()
  if (action.type === 'change-node' || action.type === 'change-edge')
    return [action.key, ...Object.keys(action.change)].join()
  return undefined
}
