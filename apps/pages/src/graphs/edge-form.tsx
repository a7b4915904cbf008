import { Trash2 } from 'lucide-react'
import { Button } from '../components/buttons/button.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import type { DraftProblem } from './draft-problems.ts'
import { conditionLabels, type DraftCondition } from './edge-condition.ts'
import type { DraftEdge, DraftNode } from './graph-draft.ts'

/** What an {@link EdgeForm} takes. */
export interface EdgeFormProps {
  readonly edge: DraftEdge
  readonly nodes: readonly DraftNode[]
  readonly problems: readonly DraftProblem[]
  readonly onChange: (change: Partial<Omit<DraftEdge, 'key'>>) => void
  readonly onRemove: () => void
}

const conditions = Object.entries(conditionLabels) as [keyof DraftCondition, string][] // pairs of the object's keys

/** Everything about one edge. */
export function EdgeForm({ edge, nodes, problems, onChange, onRemove }: EdgeFormProps) {
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
