import { Redo2, Undo2 } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { ErrorState } from '../components/states/error-state.tsx'
import { keepFocus } from '../components/dialogs/focus-afterwards.ts'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { useAgentNames } from '../components/agents/agent-filter.tsx'
import { describeSubject } from './graph-draft.ts'
import { EdgeList } from './edge-list.tsx'
import { describeCondition } from './graph-draft.ts'
import type { GraphDraft } from './graph-draft.ts'
import { GraphDrawing } from './graph-drawing.tsx'
import './graph-editor.css'
import { GraphFieldsForm } from './graph-fields-form.tsx'
import { NodeList } from './node-list.tsx'
import type { GraphEditing } from './use-graph-editor.ts'
import { Button } from '../components/buttons/button.tsx'
import type { DraftProblem } from './draft-problems.ts'

/** What a {@link GraphEditor} takes. */
interface GraphEditorProps {
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

/** What a change has added to a graph or taken away, in words; empty where it did neither. */
export function describeChange(before: GraphDraft, after: GraphDraft): string {
  const added = namesBehind(after, before)
  const removed = namesBehind(before, after)
  return [
    ...(added.length > 0 ? [`Added: ${added.join(', ')}.`] : []),
    ...(removed.length > 0 ? [`Removed: ${removed.join(', ')}.`] : []),
  ].join(' ')
}

/** Nodes and edges that one graph has and another has not. */
function namesBehind({ nodes, edges }: GraphDraft, other: GraphDraft): string[] {
  const known = new Set([...other.nodes, ...other.edges].map(({ key }) => key))
  const nameOf = (node: string) => nodes.find(({ key }) => key === node)?.id || 'a node without a name'
  return [
    ...nodes.filter(({ key }) => !known.has(key)).map(({ key }) => nameOf(key)),
    ...edges
      .filter(({ key }) => !known.has(key))
      .map(({ from, to }) => `the edge from ${nameOf(from)} to ${nameOf(to)}`),
  ]
}

/** What a {@link ProblemList} takes. */
interface ProblemListProps {
  readonly problems: readonly DraftProblem[]
  readonly draft: GraphDraft
  /** Opens the form of a node or an edge. */
  readonly onShow: (key: string) => void
}

/** Why a graph cannot be saved: each with the way to its place. */
function ProblemList({ problems, draft, onShow }: ProblemListProps) {
  if (problems.length === 0) return null
  return (
    <div className="graph-problems" role="alert">
      <h2>This graph cannot be saved yet</h2>
      <ul>
        {problems.map(({ key, field, message }, index) => (
          // Two problems of one place may read alike.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={`${key} ${field} ${index}`}>
            <span className="foreign">
              {[placeName(draft, key), field].filter(Boolean).join(', ')}: {message}
            </span>
            {key !== undefined && (
              <Button variant="quiet" onPress={() => onShow(key)}>
                Show
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

function placeName({ nodes, edges }: GraphDraft, key: string | undefined): string {
  const nameOf = (nodeKey: string) => nodes.find((node) => node.key === nodeKey)?.id ?? ''
  const node = nodes.find((each) => each.key === key)
  if (node) return `Node ${node.id}`
  const edge = edges.find((each) => each.key === key)
  return edge ? `Edge ${nameOf(edge.from)} → ${nameOf(edge.to)}` : 'Graph'
}
