import type { OnNodeError } from '@homeward/contract/agent-platform'
import { Trash2 } from 'lucide-react'
import { Button } from '../components/buttons/button.tsx'
import { NumberField } from '../components/fields/number-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { useAgentOptions } from '../components/agents/agent-filter.tsx'
import { describeSubject } from './describe-subject.ts'
import type { DraftProblem } from './draft-problems.ts'
import type { DraftNode } from './graph-draft.ts'

/** What a {@link NodeForm} takes. */
export interface NodeFormProps {
  readonly node: DraftNode
  /** Names of the nodes before it: what its text may name. */
  readonly before: readonly string[]
  readonly problems: readonly DraftProblem[]
  readonly onChange: (change: Partial<Omit<DraftNode, 'key'>>) => void
  readonly onRemove: () => void
}

const onErrorOptions: readonly { readonly value: OnNodeError; readonly label: string }[] = [
  { value: 'fail', label: 'Skip all nodes after it' },
  { value: 'skip', label: 'Continue along its other edges' },
  { value: 'continue', label: 'Continue, and pass the error to the next nodes' },
]

/** Whether a node runs something else than an agent. */
const isFixed = ({ fixed }: DraftNode) => fixed?.function !== undefined || fixed?.graph !== undefined

/** Everything about one node. */
export function NodeForm({ node, before, problems, onChange, onRemove }: NodeFormProps) {
  const messageAt = (field: string) => problems.find((problem) => problem.field === field)?.message
  const agents = useAgentOptions(node.agent || undefined)
  const names = ['input', ...before].map((name) => `{{${name}}}`).join(', ')
  return (
    <div className="stack" data-gap="small">
      <TextField
        label="Name"
        value={node.id}
        onChange={(id) => onChange({ id })}
        errorMessage={messageAt('id')}
      />
      {isFixed(node) ? (
        <p>{describeSubject(node.fixed ?? {}, String)}. Change it in the program that defines this graph.</p>
      ) : (
        <SelectField
          label="Agent"
          options={agents}
          value={node.agent === '' ? null : node.agent}
          onChange={(agent) => onChange({ agent })}
          errorMessage={messageAt('agent')}
        />
      )}
      <TextArea
        label="Task"
        rows={4}
        value={node.input}
        onChange={(input) => onChange({ input })}
        description={`Leave empty to pass the input on. Use ${names} to insert earlier texts.`}
        errorMessage={messageAt('input')}
      />
      <NumberField
        label="Retries"
        minValue={0}
        maxValue={10}
        value={node.retries}
        onChange={(retries) => onChange({ retries: Number.isNaN(retries) ? 0 : retries })}
        errorMessage={messageAt('retries')}
      />
      <SelectField
        label="When all attempts fail"
        options={onErrorOptions}
        value={node.onError}
        onChange={(onError) => onChange({ onError })}
        errorMessage={messageAt('on_error')}
      />
      <div className="row" data-justify="end">
        <Button variant="quiet" icon={<Trash2 aria-hidden />} onPress={onRemove}>
          Remove this node
        </Button>
      </div>
    </div>
  )
}
