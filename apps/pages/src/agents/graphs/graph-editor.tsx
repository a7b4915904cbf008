import { Redo2, Undo2 } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { ErrorState } from '../../components/states/error-state.tsx'
import { keepFocus } from '../../components/dialogs/focus-afterwards.ts'
import { IconButton } from '../../components/buttons/icon-button.tsx'
import { useAgentNames } from '../agents/agent-name.tsx'
import { describeSubject } from './describe-subject.ts'
import { EdgeList } from './edge-list.tsx'
import { describeChange } from './describe-change.ts'
import { describeCondition } from './edge-condition.ts'
import type { GraphDraft } from './graph-draft.ts'
import { GraphDrawing } from './graph-drawing.tsx'
import './graph-editor.css'
import { GraphFieldsForm } from './graph-fields-form.tsx'
import { NodeList } from './node-list.tsx'
import { ProblemList } from './problem-list.tsx'
import type { GraphEditing } from './use-graph-editor.ts'

/** What a {@link GraphEditor} takes. */
export interface GraphEditorProps {
  readonly editing: GraphEditing
  /** Ids of the agents that there are. */
  readonly agents: readonly string[]
  /** Whether the id can still be chosen. */
  readonly isNew: boolean
}

/** A graph as a drawing that can be changed, and the same as forms beside it. */
export function GraphEditor({ editing, agents, isNew }: GraphEditorProps) {
  const { draft, dispatch, selected, select, problems, error } = editing
  const nameOf = useAgentNames()
  useUndoKeys(editing)
  const hasProblem = (key: string) => problems.some((problem) => problem.key === key)
  return (
    <div className="graph-editor">
      <div className="graph-editor-drawing stack">
        {error && <ErrorState error={error} isInline />}
        <ProblemList problems={problems} draft={draft} onShow={select} />
        <GraphDrawing
          label="Drawing of the graph"
          nodes={draft.nodes.map(({ key, id, agent, fixed }) => ({
            key,
            title: id,
            subtitle: describeSubject({ ...fixed, ...(agent !== '' && { agent }) }, nameOf),
            hasProblem: hasProblem(key),
          }))}
          edges={draft.edges.map(({ key, from, to, when, data }) => ({
            key,
            from,
            to,
            label: describeCondition(when, data),
            hasProblem: hasProblem(key),
          }))}
          selected={selected}
          onSelect={select}
          onConnect={(from, to) => dispatch({ type: 'add-edge', from, to })}
          onRemove={(keys) => {
            dispatch({ type: 'remove', keys })
            keepFocus()
          }}
        />
        <SpokenChanges draft={draft} />
        <UndoButtons undo={editing.undo} redo={editing.redo} />
        <p className="muted small">
          Draw an edge from the dot of one box to the dot of another. Delete removes the selection. You can
          also use the forms.
        </p>
      </div>
      <div className="graph-editor-forms stack nokey">
        <NodeList editing={editing} agents={agents} />
        <EdgeList editing={editing} />
        <GraphFieldsForm
          fields={draft.fields}
          problems={problems}
          isNew={isNew}
          onChange={(change) => dispatch({ type: 'change-fields', change })}
        />
      </div>
    </div>
  )
}

/** Who does not see the drawing hears what was added to it or taken away, also by undoing. */
function SpokenChanges({ draft }: { readonly draft: GraphDraft }) {
  const before = useRef(draft)
  const [text, setText] = useState('')
  useEffect(() => {
    const said = describeChange(before.current, draft)
    before.current = draft
    if (said !== '') setText(said)
  }, [draft])
  return (
    <p role="status" className="visually-hidden">
      {text}
    </p>
  )
}

function goTo(step: (() => void) | undefined): void {
  step?.()
  keepFocus() // with the last step its button takes no press any more
}

function UndoButtons({ undo, redo }: Pick<GraphEditing, 'undo' | 'redo'>) {
  return (
    <div className="row" data-gap="small">
      <IconButton label="Undo" icon={<Undo2 aria-hidden />} isDisabled={!undo} onPress={() => goTo(undo)} />
      <IconButton label="Redo" icon={<Redo2 aria-hidden />} isDisabled={!redo} onPress={() => goTo(redo)} />
    </div>
  )
}

/**
 * Ctrl+Z and Ctrl+Shift+Z or Ctrl+Y, with the command key where there is one, wherever the focus is: a box that is removed
 * takes it along. A field's text is part of the graph.
 */
function useUndoKeys({ undo, redo }: Pick<GraphEditing, 'undo' | 'redo'>): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return
    const key = event.key.toLowerCase()
    const isRedo = key === 'y' || (key === 'z' && event.shiftKey)
    if (!isRedo && key !== 'z') return
    if (event.target instanceof Element && event.target.closest('[role=dialog], [role=alertdialog]')) return
    event.preventDefault()
    if (isRedo) redo?.()
    else undo?.()
  })
  useEffect(() => {
    const own = (event: KeyboardEvent) => onKeyDown(event)
    document.addEventListener('keydown', own)
    return () => document.removeEventListener('keydown', own)
  }, [])
}
