import { Plus } from 'lucide-react'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { keepFocus } from '../components/dialogs/focus-afterwards.ts'
import { useAgentNames } from '../components/agents/agent-name.tsx'
import { describeSubject } from './describe-subject.ts'
import { NodeForm } from './node-form.tsx'
import type { GraphEditing } from './use-graph-editor.ts'
import type { GraphDraft } from './graph-draft.ts'

/** What a {@link NodeList} takes. */
export interface NodeListProps {
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
          onPress={() => dispatch({ type: 'add-node', agent: newAgent })}
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
