import { ErrorState } from '../../components/error-state.tsx'
import { EdgeList } from './edge-list.tsx'
import { describeCondition } from './edge-condition.ts'
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
  const hasProblem = (key: string) => problems.some((problem) => problem.key === key)
  return (
    <div className="graph-editor">
      <div className="graph-editor-drawing stack">
        {error && <ErrorState error={error} isInline />}
        <ProblemList problems={problems} draft={draft} onShow={select} />
        <GraphDrawing
          label="Drawing of the graph"
          nodes={draft.nodes.map(({ key, id, agent }) => ({
            key,
            title: id,
            subtitle: agent,
            hasProblem: hasProblem(key),
          }))}
          edges={draft.edges.map(({ key, from, to, when }) => ({
            key,
            from,
            to,
            label: describeCondition(when),
            hasProblem: hasProblem(key),
          }))}
          selected={selected}
          onSelect={select}
          onConnect={(from, to) => dispatch({ type: 'add-edge', from, to })}
          onRemove={(keys) => dispatch({ type: 'remove', keys })}
        />
        <p className="muted small">
          Draw an edge from the dot of one box to the dot of another. Delete removes what is chosen. The forms
          do the same.
        </p>
      </div>
      <div className="graph-editor-forms stack">
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
