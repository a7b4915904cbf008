import { type Dispatch, useReducer, useState } from 'react'
import { useLatest } from '../api/use-latest.ts'
import { checkDraft, type DraftProblem, problemsOfError } from './draft-problems.ts'
import { type DraftAction, type GraphDraft, changeDraft } from './graph-draft.ts'

/** A graph while it is edited. */
export interface GraphEditing {
  readonly draft: GraphDraft
  readonly dispatch: Dispatch<DraftAction>
  /** Takes the last change back; undefined where there is none. */
  readonly undo: (() => void) | undefined
  /** Makes again what was taken back last. */
  readonly redo: (() => void) | undefined
  /** Key of the node or the edge whose form is open. */
  readonly selected: string | undefined
  readonly select: (key: string | undefined) => void
  readonly problems: readonly DraftProblem[]
  /** What went wrong and has no place in the graph. */
  readonly error: Error | undefined
  readonly isSaving: boolean
  /** Whether anything was changed since it was last saved. */
  readonly isChanged: boolean
  /** Saves it, unless something is wrong with it. */
  readonly save: () => Promise<void>
}

/**
 * Keeps a graph while it is edited. What is wrong with it stands at its place until something is changed there.
 *
 * @param send saves the draft; its error may name places.
 * @param onSaved takes what `send` gave, and whether that is all there is: what was written meanwhile is not saved yet.
 */
export function useGraphEditor<Saved>(
  first: GraphDraft,
  send: (draft: GraphDraft) => Promise<Saved>,
  onSaved: (saved: Saved, isAll: boolean) => void,
): GraphEditing {
  const [{ draft, past, future }, change] = useReducer(changeHistory, first, newHistory)
  const latest = useLatest(draft)
  const [saved, setSaved] = useState(first)
  const [selected, select] = useState<string>()
  const [problems, setProblems] = useState<readonly DraftProblem[]>([])
  const [error, setError] = useState<Error>()
  const [isSaving, setIsSaving] = useState(false)

  function dispatch(action: DraftAction): void {
    change(action)
    setError(undefined)
    setProblems((before) => before.filter((problem) => !isSettledBy(action, problem)))
    if (action.type === 'add-node') select(`n${draft.nextKey}`)
    if (action.type === 'add-edge') {
      const { from, to } = action
      const known = draft.edges.find((edge) => edge.from === from && edge.to === to)
      select(known?.key ?? `e${draft.nextKey}`)
    }
  }

  /** What was wrong may be mended by it, or be of another place: saving tells anew. */
  function go(type: 'undo' | 'redo'): void {
    change({ type })
    setError(undefined)
    setProblems([])
  }

  function showProblems(found: readonly DraftProblem[]): void {
    setProblems(found)
    const first = found.find(({ key }) => key !== undefined)
    if (first) select(first.key)
  }

  async function save(): Promise<void> {
    setError(undefined)
    const found = checkDraft(draft)
    showProblems(found)
    if (found.length > 0) return
    setIsSaving(true)
    try {
      const reply = await send(draft)
      setSaved(draft)
      onSaved(reply, latest.current === draft)
    } catch (cause) {
      const told = problemsOfError(draft, cause)
      if (told) showProblems(told)
      else setError(cause instanceof Error ? cause : new Error(String(cause)))
    } finally {
      setIsSaving(false)
    }
  }

  const isChanged = draft !== saved
  const undo = past.length > 0 ? () => go('undo') : undefined
  const redo = future.length > 0 ? () => go('redo') : undefined
  return { draft, dispatch, undo, redo, selected, select, problems, error, isSaving, isChanged, save }
}

/** Whether what was wrong may be right now. What is wrong with the whole may be mended anywhere. */
function isSettledBy(action: DraftAction, { key }: DraftProblem): boolean {
  if (key === undefined) return true
  if (action.type === 'remove') return action.keys.includes(key)
  return 'key' in action && action.key === key
}

/** A graph as it is edited, with what it was before. */
interface DraftHistory {
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
