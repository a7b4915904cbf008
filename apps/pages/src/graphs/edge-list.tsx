import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { keepFocus } from '../components/dialogs/focus-afterwards.ts'
import {
  describeCondition,
  conditionLabels,
  type DraftCondition,
  type DraftEdge,
  type DraftNode,
} from './graph-draft.ts'
import type { GraphEditing } from './use-graph-editor.ts'
import { TextField } from '../components/fields/text-field.tsx'
import type { DraftProblem } from './draft-problems.ts'

/** The edges of a graph as forms, and what adds one: the drawing's way to connect nodes, without the drawing. */
export function EdgeList({ editing }: { readonly editing: GraphEditing }) {
  const { draft, dispatch, selected, select, problems } = editing
  const nameOf = (key: string) => draft.nodes.find((node) => node.key === key)?.id || '(without a name)'
  return (
    <Card title="Edges">
      {draft.edges.length === 0 && <p className="muted">Nodes without edges run at the same time.</p>}
      <div>
        {draft.edges.map((edge) => {
          const condition = describeCondition(edge.when)
          return (
            <Disclosure
              key={edge.key}
              title={`${nameOf(edge.from)} → ${nameOf(edge.to)}${condition && ` · if it ${condition}`}`}
              isExpanded={selected === edge.key}
              onExpandedChange={(isOpen) => select(isOpen ? edge.key : undefined)}
            >
              {selected === edge.key && (
                <EdgeForm
                  edge={edge}
                  nodes={draft.nodes}
                  problems={problems.filter(({ key }) => key === edge.key)}
                  onChange={(change) => dispatch({ type: 'change-edge', key: edge.key, change })}
                  onRemove={() => {
                    dispatch({ type: 'remove', keys: [edge.key] })
                    keepFocus()
                  }}
                />
              )}
            </Disclosure>
          )
        })}
      </div>
      {draft.nodes.length > 1 && <NewEdge editing={editing} />}
    </Card>
  )
}

function NewEdge({ editing: { draft, dispatch } }: { readonly editing: GraphEditing }) {
  const [from, setFrom] = useState<string | null>(null)
  const [to, setTo] = useState<string | null>(null)
  const options = draft.nodes.map(({ key, id }) => ({ value: key, label: id || '(without a name)' }))
  const isThere = draft.edges.some((edge) => edge.from === from && edge.to === to)
  const canAdd = from !== null && to !== null && from !== to && !isThere
  const known = (key: string | null) => (draft.nodes.some((node) => node.key === key) ? key : null)
  return (
    <div className="graph-new-edge">
      <SelectField label="New edge from" options={options} value={known(from)} onChange={setFrom} />
      <SelectField label="to" options={options} value={known(to)} onChange={setTo} />
      <Button
        icon={<Plus aria-hidden />}
        isDisabled={!canAdd || known(from) === null || known(to) === null}
        onPress={() => {
          if (from === null || to === null) return
          dispatch({ type: 'add-edge', from, to })
          setFrom(null)
          setTo(null)
        }}
      >
        Add
      </Button>
    </div>
  )
}

/** What an {@link EdgeForm} takes. */
interface EdgeFormProps {
  readonly edge: DraftEdge
  readonly nodes: readonly DraftNode[]
  readonly problems: readonly DraftProblem[]
  readonly onChange: (change: Partial<Omit<DraftEdge, 'key'>>) => void
  readonly onRemove: () => void
}

const conditions = Object.entries(conditionLabels) as [keyof DraftCondition, string][] // pairs of the object's keys

/** Everything about one edge. */
function EdgeForm({ edge, nodes, problems, onChange, onRemove }: EdgeFormProps) {
  const messageAt = (field: string) => problems.find((problem) => problem.field === field)?.message
  const whole = problems.filter(({ field }) => field === undefined || field === 'when')
  const options = nodes.map(({ key, id }) => ({ value: key, label: id || '(without a name)' }))
  return (
    <div className="stack" data-gap="small">
      {whole.map(({ message }) => (
        <p key={message} className="field-error">
          {message}
        </p>
      ))}
      <SelectField
        label="From"
        options={options}
        value={edge.from}
        onChange={(from) => onChange({ from })}
        errorMessage={messageAt('from')}
      />
      <SelectField
        label="To"
        options={options}
        value={edge.to}
        onChange={(to) => onChange({ to })}
        errorMessage={messageAt('to')}
      />
      <fieldset className="graph-fieldset">
        <legend>Follow only when the output …</legend>
        {conditions.map(([name, label]) => (
          <TextField
            key={name}
            label={`… ${label}`}
            value={edge.when[name]}
            onChange={(text) => onChange({ when: { ...edge.when, [name]: text } })}
          />
        ))}
        {edge.data && <p>… has data that matches a schema. The schema does not change.</p>}
        <p className="field-description">
          Upper and lower case are treated alike. All conditions must match. Without conditions, the edge is
          always followed.
        </p>
      </fieldset>
      <div className="row" data-justify="end">
        <Button variant="quiet" icon={<Trash2 aria-hidden />} onPress={onRemove}>
          Remove this edge
        </Button>
      </div>
    </div>
  )
}
