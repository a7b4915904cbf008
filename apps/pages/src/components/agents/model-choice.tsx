import type { Agent } from '@homeward/contract/agent-platform'
import { usePlatformMutation, usePlatformQuery } from '../../api/platform.ts'
import { SelectField } from '../fields/select-field.tsx'
import { describeError } from '../states/error-state.tsx'
import { showToast } from '../states/toasts.tsx'

/** Props of {@link ModelChoice}. */
interface ModelChoiceProps {
  readonly agent: Agent
  /** @default 'Model' */
  readonly label?: string
  /** Whether the label is for screen readers only. @default false */
  readonly isLabelHidden?: boolean
}

/** The model that an agent uses, among those that the providers list. A choice counts from the next message on. */
export function ModelChoice({ agent, label = 'Model', isLabelHidden = false }: ModelChoiceProps) {
  const listed = usePlatformQuery('listModels').data?.models ?? []
  const change = usePlatformMutation('updateAgent', {
    invalidates: ['listAgents', 'getAgent'],
    onSuccess: ({ agent: { id, name = id, model } }) => showToast({ title: `${name} uses ${model} now` }),
    onError: (error) => showToast({ tone: 'bad', ...describeError(error) }),
  })
  const models = [...new Set([agent.model, ...listed.map(({ id }) => id)])].toSorted()
  return (
    <SelectField
      label={label}
      isLabelHidden={isLabelHidden}
      value={change.isPending ? (change.variables.body?.model ?? agent.model) : agent.model}
      options={models.map((id) => ({ value: id, label: id }))}
      onChange={(model) =>
        model !== agent.model && change.mutate({ params: { id: agent.id }, body: { model } })
      }
    />
  )
}
