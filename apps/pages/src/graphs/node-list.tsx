import { Plus, Trash2 } from 'lucide-react'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { keepFocus } from '../components/dialogs/focus-afterwards.ts'
import { useAgentNames } from '../components/agents/agent-filter.tsx'
import { describeSubject, isFixed, isPause, type GraphDraft, type DraftNode } from './graph-draft.ts'
import type { GraphEditing } from './use-graph-editor.ts'
import type { OnNodeError } from '@homeward/contract/agent-platform'
import { NumberField } from '../components/fields/number-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { useAgentOptions } from '../components/agents/agent-filter.tsx'
import type { DraftProblem } from './draft-problems.ts'

/** What a {@link NodeList} takes. */
interface NodeListProps {
  readonly editing: GraphEditing
  /** Ids of the agents that there are. */
  readonly agents: readonly string[]
}

const maxNodes = 200

/** The nodes of a graph as forms, of which one is open. */
export function NodeList({ editing, agents }: NodeListProps) {
  const { draft, dispatch, selected, select, problems } = editing
  const nameOf = useAgentNames()
  const newAgent = draft.nodes.findLast(({ agent }) => agent !== '')?.agent ?? agents[0] ?? ''
  return (
    <Card
      title="Nodes"
      actions={
        <Button
          icon={<Plus aria-hidden />}
          isDisabled={draft.nodes.length >= maxNodes}
          onPress={() => dispatch({ type: 'add-node', agent: newAgent, after: selected })}
        >
          Add a node
        </Button>
      }
    >
      {draft.nodes.length === 0 && <p className="muted">Add a node: a graph needs at least one.</p>}
      <div>
        {draft.nodes.map((node) => (
          <Disclosure
            key={node.key}
            title={`${node.id || '(without a name)'} · ${describeSubject({ ...node.fixed, agent: node.agent }, nameOf) || 'no agent'}`}
            isExpanded={selected === node.key}
            onExpandedChange={(isOpen) => select(isOpen ? node.key : undefined)}
          >
            {selected === node.key && (
              <NodeForm
                node={node}
                before={nodesBefore(draft, node.key)}
                problems={problems.filter(({ key }) => key === node.key)}
                onChange={(change) => dispatch({ type: 'change-node', key: node.key, change })}
                onRemove={() => {
                  dispatch({ type: 'remove', keys: [node.key] })
                  keepFocus()
                }}
              />
            )}
          </Disclosure>
        ))}
      </div>
    </Card>
  )
}

/** Names of the nodes that have ended when a node begins, in the order of the graph: what its text may name. */
export function nodesBefore({ nodes, edges }: GraphDraft, key: string): readonly string[] {
  const found = new Set<string>()
  const open = [key]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { from, to } of edges) {
      if (to !== next || found.has(from)) continue
      found.add(from)
      open.push(from)
    }
  }
  return nodes.filter((node) => found.has(node.key) && node.key !== key).map(({ id }) => id)
}

/** What a {@link NodeForm} takes. */
interface NodeFormProps {
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

/** Everything about one node. */
function NodeForm({ node, before, problems, onChange, onRemove }: NodeFormProps) {
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
      {!isPause(node) && (
        <>
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
        </>
      )}
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
